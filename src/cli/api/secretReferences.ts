import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { UsageError } from '#cli/operatorCall.ts'
import type { Client } from '#contract/client.ts'
import { closestName } from '#contract/closestName.ts'
import type { Manifest } from '#contract/manifest.ts'
import type { Me } from '#contract/me.ts'
import type { SecretEntry, SecretType } from '#contract/script.ts'
import { sealEntry } from '#contract/seal.ts'

/**
 * The value of a secret: the text itself, the name of an environment variable, or the path of a file. `key`: the file is
 * a JSON object, and the value is its member of this name.
 */
export type SecretReference = string | { env: string } | { file: string; key?: string }

/** How references are resolved; file paths are relative to `folder`. */
export type ReferenceContext = { env: Readonly<Record<string, string | undefined>>; folder: string }

/** The context of flags, which may also read standard input. */
export type FlagContext = ReferenceContext & { readInput(): Promise<string> }

/** The value of a reference. Throws UsageError, whose message names the reference and never the value. */
export function resolveReference(reference: SecretReference, { env, folder }: ReferenceContext): string {
  if (typeof reference === 'string') return reference
  if ('env' in reference) {
    const value = env[reference.env]
    if (value === undefined) throw new UsageError(`the environment variable ${reference.env} is not set`)
    return value
  }
  const text = readReferredFile(reference.file, folder)
  return reference.key === undefined ? text : memberOf(text, reference.file, reference.key)
}

function readReferredFile(file: string, folder: string): string {
  try {
    return readFileSync(resolve(folder, file), 'utf8').replace(/\r?\n$/, '')
  } catch {
    throw new UsageError(`the file ${file} cannot be read`)
  }
}

function memberOf(text: string, file: string, key: string): string {
  let values: unknown
  try {
    values = JSON.parse(text)
  } catch {
    throw new UsageError(`the file ${file} is not JSON`)
  }
  const isThere = typeof values === 'object' && values !== null && Object.hasOwn(values, key)
  const value = isThere ? (values as Record<string, unknown>)[key] : undefined
  if (typeof value !== 'string' || value === '') throw new UsageError(`write a value for "${key}" into ${file}`)
  return value
}

type ProviderVariable = NonNullable<NonNullable<Manifest['providers']>[number]['secrets']>[number]
/** The variables of each provider in the manifest, by name. */
export type VariableCatalogue = Readonly<Record<string, Readonly<Record<string, ProviderVariable>>>>

export function buildCatalogue({ providers = [] }: Manifest): VariableCatalogue {
  const rows = providers.map(({ value, secrets = [] }) => [
    value,
    Object.fromEntries(secrets.map((secret) => [secret.variable, secret])),
  ])
  return Object.fromEntries(rows)
}

/** A variable of a provider. Throws UsageError that suggests the nearest name. */
export function findVariable(catalogue: VariableCatalogue, providerId: string, variable: string): ProviderVariable {
  const variables = catalogue[providerId]
  if (!variables) throw new UsageError(`Provider ${providerId} is not in the manifest.`)
  const found = Object.hasOwn(variables, variable) ? variables[variable] : undefined
  if (found) return found
  const meant = closestName(variable, Object.keys(variables))
  throw new UsageError(`${providerId} has no variable ${variable}${meant ? `: did you mean ${meant}?` : '.'}`)
}

export type PlainSecret = { variable: string; text: string }

/** Seals secrets for the team and environment of a token: `me` is the response of GET /me. */
export function sealSecrets(
  plain: readonly PlainSecret[],
  providerId: string,
  me: Me,
  catalogue: VariableCatalogue,
): Promise<SecretEntry[]> {
  const { environment, teamId, encryptionKey: key } = me
  const entries = plain.map(({ variable, text }) => {
    const type = findVariable(catalogue, providerId, variable).type as SecretType
    return sealEntry({ environment, teamId, providerId, variable, type, plaintext: text, key })
  })
  return Promise.all(entries)
}

/** `VARIABLE=rest`, split at the first equals sign. */
function splitAssignment(text: string, flag: string): [variable: string, rest: string] {
  const at = text.indexOf('=')
  if (at < 1) throw new UsageError(`${flag} must be VARIABLE=…, such as ${flag} EVENT_SINK_URL=….`)
  return [text.slice(0, at), text.slice(at + 1)]
}

export type SecretFlags = { secret?: string[]; secretEnv?: string[]; secretFile?: string[] }

/** The secrets that the flags of a command set, unsealed. */
export function readSecretFlags(
  { secret = [], secretEnv = [], secretFile = [] }: SecretFlags,
  context: ReferenceContext,
): PlainSecret[] {
  const read = (text: string, flag: string, toReference: (rest: string) => SecretReference) => {
    const [variable, rest] = splitAssignment(text, flag)
    return { variable, text: resolveReference(toReference(rest), context) }
  }
  return [
    ...secret.map((each) => read(each, '--secret', (text) => text)),
    ...secretEnv.map((each) => read(each, '--secret-env', (env) => ({ env }))),
    ...secretFile.map((each) => read(each, '--secret-file', (file) => ({ file }))),
  ]
}

const ofInput = /^[^=]+=-$/

/** Replaces the dash in `VARIABLE=-` by the text of standard input. Throws UsageError for more than one. */
export async function withInput(flags: SecretFlags, { readInput }: FlagContext): Promise<SecretFlags> {
  const dashes = flags.secret?.filter((text) => ofInput.test(text)) ?? []
  if (dashes.length === 0) return flags
  if (dashes.length > 1) throw new UsageError('Only one --secret can read standard input.')
  const input = (await readInput()).replace(/\r?\n$/, '')
  return { ...flags, secret: flags.secret!.map((text) => (ofInput.test(text) ? text.slice(0, -1) + input : text)) }
}

/** The sealed entries of the flags; without entries it makes no API call. */
export async function sealSecretFlags(
  flags: SecretFlags,
  providerId: string,
  api: Client,
  context: FlagContext,
): Promise<SecretEntry[]> {
  const plain = readSecretFlags(await withInput(flags, context), context)
  if (plain.length === 0) return []
  const [me, manifest] = await Promise.all([api.readMe(), api.readManifest()])
  return sealSecrets(plain, providerId, me, buildCatalogue(manifest))
}
