import { readFileSync } from 'node:fs'
import { type Client, client } from '#contract/client.ts'
import type { EnvironmentName } from '#contract/me.ts'
import { WrongUsage } from '../call.ts'
import { readProfiles } from './profiles.ts'

/** Where the API is, and as whom it is called. */
export type Access = { baseUrl: string; token: string; team?: string }

/** How a command line says so: in full, or by the name of what `aglet login` kept. */
export type ConnectionFlags = {
  baseUrl?: string
  token?: string
  tokenFile?: string
  team?: string
  profile?: string
  environment?: EnvironmentName
}

type Env = Readonly<Record<string, string | undefined>>

const isSandbox = (baseUrl: string) => /\/sandbox\/v1\/?$/.test(baseUrl)

function tokenIn(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    throw new WrongUsage(`The file ${path} of --token-file cannot be read.`)
  }
}

/** Throws where an environment was asked for and the address is the other's. */
function refuseOther(baseUrl: string, environment: EnvironmentName | undefined): void {
  if (environment && isSandbox(baseUrl) !== (environment === 'sandbox'))
    throw new WrongUsage(
      `${baseUrl} is not ${environment}: the sandbox is at {origin}/sandbox/v1, production at {origin}/v1.`,
    )
}

/**
 * What the flags say in full, else the profile. Address and token go together, so that a kept token is never shown to
 * another address. Throws WrongUsage where neither says it.
 */
export function accessOf(flags: ConnectionFlags, env: Env): Access {
  const { baseUrl, tokenFile, team, profile = 'default', environment } = flags
  const token = tokenFile === undefined ? flags.token : tokenIn(tokenFile)
  if (baseUrl !== undefined && token !== undefined) {
    refuseOther(baseUrl, environment)
    return { baseUrl, token, ...(team !== undefined && { team }) }
  }
  if (baseUrl !== undefined || token !== undefined)
    throw new WrongUsage('Write --base-url and --token (or --token-file) together, or neither and use a profile.')
  const kept = readProfiles(env)[profile]?.[environment ?? 'production']
  if (!kept)
    throw new WrongUsage(
      `There is no profile ${profile} for ${environment ?? 'production'}: write --base-url and --token, or keep them with aglet login.`,
    )
  return { ...kept, ...(team !== undefined && { team }) }
}

/** What fetch throws where nobody answers, and what reading the answer throws where it is no JSON. */
const isSilence = (problem: unknown) =>
  problem instanceof SyntaxError || (problem instanceof TypeError && problem.cause !== undefined)

/** What was asked of an address, or a sentence where nothing like Aglet answers there. */
export async function reach<Answer>(baseUrl: string, asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked
  } catch (problem) {
    if (!isSilence(problem)) throw problem
    throw new Error(`Nothing that answers like Aglet is at ${baseUrl}: write the address that ends with /v1.`)
  }
}

/** The API of a team. The team is the token's own where none was named. */
export async function connect({ baseUrl, token, team }: Access): Promise<Client> {
  const teamId = team ?? (await reach(baseUrl, client({ baseUrl, token }).readMe())).teamId
  return client({ baseUrl, token, teamId })
}
