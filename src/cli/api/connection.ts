import { readFileSync } from 'node:fs'
import { UsageError } from '#cli/operatorCall.ts'
import { type Client, client } from '#contract/client.ts'
import type { EnvironmentName } from '#contract/me.ts'
import { readProfiles } from './profiles.ts'

/** The address of the API, and the credentials of the caller. */
type ApiConnection = { baseUrl: string; token: string; team?: string }

/** The flags of a connection: address and token, or the name of a profile that `aglet login` stored. */
export type ConnectionFlags = {
  baseUrl?: string
  token?: string
  tokenFile?: string
  team?: string
  profile?: string
  environment?: EnvironmentName
}

type EnvironmentVariables = Readonly<Record<string, string | undefined>>

const isSandbox = (baseUrl: string) => /\/sandbox\/v1\/?$/.test(baseUrl)

function readTokenFile(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    throw new UsageError(`The file ${path} of --token-file cannot be read.`)
  }
}

/** Throws UsageError if the address belongs to another environment than `--environment`. */
function refuseOtherEnvironment(baseUrl: string, environment: EnvironmentName | undefined): void {
  if (environment && isSandbox(baseUrl) !== (environment === 'sandbox'))
    throw new UsageError(
      `${baseUrl} is not ${environment}: the sandbox is at {origin}/sandbox/v1, production at {origin}/v1.`,
    )
}

/**
 * The connection of the flags, else of the profile. Address and token come from the same source, so that a stored token
 * is never sent to another address. Throws UsageError if there is neither.
 */
export function resolveConnection(flags: ConnectionFlags, env: EnvironmentVariables): ApiConnection {
  const { baseUrl, tokenFile, team, profile = 'default', environment } = flags
  const token = tokenFile === undefined ? flags.token : readTokenFile(tokenFile)
  if (baseUrl !== undefined && token !== undefined) {
    refuseOtherEnvironment(baseUrl, environment)
    return { baseUrl, token, ...(team !== undefined && { team }) }
  }
  if (baseUrl !== undefined || token !== undefined)
    throw new UsageError('Write both --base-url and --token (or --token-file), or neither to use a profile.')
  const stored = readProfiles(env)[profile]?.[environment ?? 'production']
  if (!stored)
    throw new UsageError(
      `Profile ${profile} not found for ${environment ?? 'production'}. Write --base-url and --token, or store them with aglet login.`,
    )
  return { ...stored, ...(team !== undefined && { team }) }
}

/** Whether fetch could not connect (TypeError with a cause) or the response is not JSON (SyntaxError). */
const isNoAnswer = (problem: unknown) =>
  problem instanceof SyntaxError || (problem instanceof TypeError && problem.cause !== undefined)

/** The result of a call; throws an Error with the address if no Aglet answers there. */
export async function explainNoAnswer<Answer>(baseUrl: string, call: Promise<Answer>): Promise<Answer> {
  try {
    return await call
  } catch (problem) {
    if (!isNoAnswer(problem)) throw problem
    throw new Error(`No Aglet server responds at ${baseUrl}. Write the URL that ends with /v1.`)
  }
}

/** An API client for a team; by default the token's team. */
export async function openClient({ baseUrl, token, team }: ApiConnection): Promise<Client> {
  const teamId = team ?? (await explainNoAnswer(baseUrl, client({ baseUrl, token }).readMe())).teamId
  return client({ baseUrl, token, teamId })
}
