import { createSecretKey, randomBytes, type webcrypto } from 'node:crypto'
import type { Keyring } from '#account/keyring.ts'
import type { SealingKeys } from '#account/sealingKeys.ts'
import { fault } from '#contract/fault.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { SecretEntry, SecretType } from '#contract/script.ts'
import { headerBytes, protectedHeader, type SealedFor } from '#contract/seal.ts'
import { readBase64url } from '#kit/base64url.ts'
import { open, seal } from '#kit/cipher.ts'
import { Secret } from '#kit/secret.ts'
import type { SecretVersion, Store } from '#store/store.ts'
import type { SecretRef } from './snapshot.ts'

const largestPlaintext = 1024 * 1024
const tagLength = 16

/** What the server knows for itself of the entries of one write: `specs` are the provider's variables. */
export type Expected = Omit<SealedFor, 'variable' | 'type'> & { specs: Readonly<Record<string, { type: SecretType }>> }

/**
 * Opens secret entries of scheme SE1 (docs/secret-entries.md): the plaintext of each variable. Their protected headers
 * are made again from what is expected, so an entry that was sealed for anything else does not open. Throws the fault
 * secretRefused, which names the entries and never says why: the reason would tell a forger what to try next.
 */
export async function openEntries(
  entries: readonly SecretEntry[],
  expected: Expected,
  sealingKeys: SealingKeys,
): Promise<Map<string, Secret>> {
  const opened = await Promise.all(entries.map((entry) => openEntry(entry, expected, sealingKeys)))
  const issues = opened.flatMap((secret, at) => (secret ? [] : [{ path: `secrets.${at}`, message: 'does not open' }]))
  if (issues.length > 0) throw fault('secretRefused', { attributes: { issues } })
  return new Map(entries.map(({ variable }, at) => [variable, opened[at]!]))
}

async function openEntry(entry: SecretEntry, expected: Expected, keys: SealingKeys): Promise<Secret | undefined> {
  const { variable, salt } = entry
  const type = Object.hasOwn(expected.specs, variable) ? expected.specs[variable]!.type : undefined
  const read = readEntry(entry)
  const privateKey = read && keys.privateKey(read.kid)
  if (!read || !privateKey || type === undefined || type !== entry.type) return undefined
  const additionalData = headerBytes(protectedHeader({ ...expected, variable, type }, read.kid, salt))
  const contentKey = await openContentKey(privateKey, read.encryptedKey)
  const plain = await crypto.subtle
    .decrypt({ name: 'AES-GCM', iv: read.iv, additionalData }, contentKey, read.data)
    .catch(() => undefined)
  return plain && readText(plain)
}

/** The bytes of an entry; undefined when a field is not spelt or not as long as the scheme says. */
function readEntry({ data, iv, key, salt }: SecretEntry) {
  const [kid = '', encryptedKey = '', ...more] = key.split('.')
  const read = { kid, encryptedKey: readBase64url(encryptedKey), iv: readBase64url(iv), data: readBase64url(data) }
  const saltLength = salt == null ? 16 : (readBase64url(salt)?.length ?? 0)
  if (!read.encryptedKey || !read.iv || !read.data || more.length > 0) return undefined
  if (read.iv.length !== 12 || saltLength < 16 || saltLength > 64) return undefined
  if (read.data.length < tagLength || read.data.length > largestPlaintext + tagLength) return undefined
  return { ...read, encryptedKey: read.encryptedKey, iv: read.iv, data: read.data }
}

/**
 * A key that does not open is answered with a random one, which then opens nothing: whether RSA or GCM refused must not
 * be told by the time it took (RFC 7516, 11.5).
 */
async function openContentKey(privateKey: webcrypto.CryptoKey, encryptedKey: Buffer): Promise<webcrypto.CryptoKey> {
  const random = randomBytes(32)
  const opened = await crypto.subtle.decrypt({ name: 'RSA-OAEP' }, privateKey, encryptedKey).catch(() => random)
  return crypto.subtle.importKey('raw', opened.byteLength === 32 ? opened : random, 'AES-GCM', false, ['decrypt'])
}

function readText(plain: ArrayBuffer): Secret | undefined {
  try {
    return new Secret(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(plain))
  } catch {
    return undefined
  }
}

/** Whose a secret version is. */
export type VersionOf = {
  environment: EnvironmentName
  teamId: string
  scriptId: string
  secretId: string
  variable: string
  version: number
}

/** A version of a secret as it is kept: under a data key of its own, which the team's key wraps. */
export function sealVersion(
  secret: Secret,
  of: VersionOf & { type: SecretType },
  keys: Keyring,
  nowMs: number,
): SecretVersion {
  const { environment: _, teamId, ...row } = of
  const dataKey = randomBytes(32)
  return {
    ...row,
    wrappedKey: keys.team(teamId).wrapKey(dataKey, bindOf(of)),
    ciphertext: seal(createSecretKey(dataKey), Buffer.from(secret.open()), bindOf(of)),
    createdAt: nowMs,
  }
}

/** The secret of a kept version. Throws when the row was not sealed for exactly this place. */
export function openVersion(
  row: SecretVersion,
  { environment, teamId }: Pick<VersionOf, 'environment' | 'teamId'>,
  keys: Keyring,
): Secret {
  const bind = bindOf({ ...row, environment, teamId })
  const dataKey = createSecretKey(keys.team(teamId).unwrapKey(row.wrappedKey, bind))
  return new Secret(open(dataKey, row.ciphertext, bind).toString())
}

const bindOf = ({ environment, teamId, scriptId, secretId, variable, version }: VersionOf) =>
  JSON.stringify([environment, teamId, scriptId, secretId, variable, version])

/** The secrets that a script names, by variable. Throws when one is not kept: a script never names one that is not. */
export async function openSecrets(
  refs: Readonly<Record<string, SecretRef>>,
  on: { store: Pick<Store, 'secret'>; keys: Keyring; environment: EnvironmentName; teamId: string },
): Promise<Record<string, Secret>> {
  const opened = Object.entries(refs).map(async ([variable, ref]) => {
    const row = await on.store.secret(ref)
    if (row?.variable !== variable) throw new Error(`${variable} (${ref.secretId}, ${ref.version}) is not kept.`)
    return [variable, openVersion(row, on, on.keys)] as const
  })
  return Object.fromEntries(await Promise.all(opened))
}
