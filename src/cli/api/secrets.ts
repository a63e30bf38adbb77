import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Client } from '#contract/client.ts'
import type { Manifest } from '#contract/manifest.ts'
import type { Me } from '#contract/me.ts'
import { nearest } from '#contract/nearest.ts'
import type { SecretEntry, SecretType } from '#contract/script.ts'
import { sealEntry } from '#contract/seal.ts'
import { WrongUsage } from '../call.ts'

/** Where the value of a variable is: here, in an environment variable, or in a file. */
export type Reference = string | { env: string } | { file: string }

/** Where references are looked up; files from this folder on. */
export type Place = { env: Readonly<Record<string, string | undefined>>; folder: string }

/** What a reference leads to. Throws a sentence that names the reference and never its value. */
export function readReference(reference: Reference, { env, folder }: Place): string {
  if (typeof reference === 'string') return reference
  if ('env' in reference) {
    const value = env[reference.env]
    if (value === undefined) throw new WrongUsage(`the environment variable ${reference.env} is not set`)
    return value
  }
  try {
    return readFileSync(resolve(folder, reference.file), 'utf8').replace(/\r?\n$/, '')
  } catch {
    throw new WrongUsage(`the file ${reference.file} cannot be read`)
  }
}

export type Variable = NonNullable<NonNullable<Manifest['providers']>[number]['secrets']>[number]
/** The variables of each provider that there is. */
export type Catalogue = Readonly<Record<string, Readonly<Record<string, Variable>>>>

export function catalogueOf({ providers = [] }: Manifest): Catalogue {
  const rows = providers.map(({ value, secrets = [] }) => [
    value,
    Object.fromEntries(secrets.map((secret) => [secret.variable, secret])),
  ])
  return Object.fromEntries(rows)
}

/** A variable of a provider. Throws WrongUsage with the one that was probably meant. */
export function variableOf(catalogue: Catalogue, providerId: string, variable: string): Variable {
  const variables = catalogue[providerId]
  if (!variables) throw new WrongUsage(`The manifest lists no provider ${providerId}.`)
  const found = Object.hasOwn(variables, variable) ? variables[variable] : undefined
  if (found) return found
  const meant = nearest(variable, Object.keys(variables))
  throw new WrongUsage(`${providerId} has no variable ${variable}${meant ? `: did you mean ${meant}?` : '.'}`)
}

export type Plain = { variable: string; text: string }

/** Seals for the team and environment of a token: `me` is the answer of GET /me. */
export function sealAll(
  plain: readonly Plain[],
  providerId: string,
  me: Me,
  catalogue: Catalogue,
): Promise<SecretEntry[]> {
  const { environment, teamId, encryptionKey: key } = me
  const entries = plain.map(({ variable, text }) => {
    const type = variableOf(catalogue, providerId, variable).type as SecretType
    return sealEntry({ environment, teamId, providerId, variable, type, plaintext: text, key })
  })
  return Promise.all(entries)
}

/** `VARIABLE=rest`, split at the first sign. */
function pairOf(given: string, flag: string): [variable: string, rest: string] {
  const at = given.indexOf('=')
  if (at < 1) throw new WrongUsage(`${flag} takes VARIABLE=…, such as ${flag} EVENT_SINK_URL=….`)
  return [given.slice(0, at), given.slice(at + 1)]
}

export type SecretFlags = { secret?: string[]; secretEnv?: string[]; secretFile?: string[] }

/** What the flags of a command line set. */
export function plainOf({ secret = [], secretEnv = [], secretFile = [] }: SecretFlags, place: Place): Plain[] {
  const read = (given: string, flag: string, to: (rest: string) => Reference) => {
    const [variable, rest] = pairOf(given, flag)
    return { variable, text: readReference(to(rest), place) }
  }
  return [
    ...secret.map((each) => read(each, '--secret', (text) => text)),
    ...secretEnv.map((each) => read(each, '--secret-env', (env) => ({ env }))),
    ...secretFile.map((each) => read(each, '--secret-file', (file) => ({ file }))),
  ]
}

/** The entries of what the flags set; nothing is asked where they set nothing. */
export async function entriesOf(
  flags: SecretFlags,
  providerId: string,
  api: Client,
  place: Place,
): Promise<SecretEntry[]> {
  const plain = plainOf(flags, place)
  if (plain.length === 0) return []
  const [me, manifest] = await Promise.all([api.readMe(), api.readManifest()])
  return sealAll(plain, providerId, me, catalogueOf(manifest))
}
