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

const maxPlaintextBytes = 1024 * 1024
const tagLength = 16

/** What the server expects of the entries of one write. `specs` are the provider's variables. */
export type ExpectedEntries = Omit<SealedFor, 'variable' | 'type'> & {
  specs: Readonly<Record<string, { type: SecretType }>>
}

/**
 * Opens secret entries of scheme SE1 (docs/secret-entries.md) and returns the plaintext of each variable. The protected
 * headers are rebuilt from the expected values, so that an entry that was sealed for anything else does not open.
 * Throws secretRefused, which names the entries but not the reason, because the reason would help a forger.
 */
export async function openEntries(
  entries: readonly SecretEntry[],
  expected: ExpectedEntries,
  sealingKeys: SealingKeys,
): Promise<Map<string, Secret>> {
  const opened = await Promise.all(entries.map((entry) => openEntry(entry, expected, sealingKeys)))
  const issues = opened.flatMap((secret, at) =>
    secret ? [] : [{ path: `secrets.${at}`, message: 'cannot be decrypted' }],
  )
  if (issues.length > 0) throw fault('secretRefused', { attributes: { issues } })
  return new Map(entries.map(({ variable }, at) => [variable, opened[at]!]))
}

async function openEntry(
  entry: SecretEntry,
  expected: ExpectedEntries,
  keys: SealingKeys,
): Promise<Secret | undefined> {
  const { variable, salt } = entry
  const type = Object.hasOwn(expected.specs, variable) ? expected.specs[variable]!.type : undefined
  const parsed = parseEntry(entry)
  const privateKey = parsed && (await keys.privateKey(parsed.kid))
  if (!parsed || !privateKey || type === undefined || type !== entry.type) return undefined
  const additionalData = headerBytes(protectedHeader({ ...expected, variable, type }, parsed.kid, salt))
  const contentKey = await openContentKey(privateKey, parsed.encryptedKey)
  const plain = await crypto.subtle
    .decrypt({ name: 'AES-GCM', iv: parsed.iv, additionalData }, contentKey, parsed.data)
    .catch(() => undefined)
  return plain && decodeText(plain)
}

/** Undefined if a field does not have the encoding or the length that the scheme requires. */
function parseEntry({ data, iv, key, salt }: SecretEntry) {
  const [kid = '', encryptedKey = '', ...more] = key.split('.')
  const parsed = { kid, encryptedKey: readBase64url(encryptedKey), iv: readBase64url(iv), data: readBase64url(data) }
  const saltLength = salt == null ? 16 : (readBase64url(salt)?.length ?? 0)
  if (!parsed.encryptedKey || !parsed.iv || !parsed.data || more.length > 0) return undefined
  if (parsed.iv.length !== 12 || saltLength < 16 || saltLength > 64) return undefined
  if (parsed.data.length < tagLength || parsed.data.length > maxPlaintextBytes + tagLength) return undefined
  return { ...parsed, encryptedKey: parsed.encryptedKey, iv: parsed.iv, data: parsed.data }
}

/**
 * If the content key does not open, returns a random key, which then opens nothing. The duration must not reveal
 * whether RSA or GCM failed (RFC 7516, section 11.5).
 */
async function openContentKey(privateKey: webcrypto.CryptoKey, encryptedKey: Buffer): Promise<webcrypto.CryptoKey> {
  const random = randomBytes(32)
  const opened = await crypto.subtle.decrypt({ name: 'RSA-OAEP' }, privateKey, encryptedKey).catch(() => random)
  return crypto.subtle.importKey('raw', opened.byteLength === 32 ? opened : random, 'AES-GCM', false, ['decrypt'])
}

function decodeText(plain: ArrayBuffer): Secret | undefined {
  try {
    return new Secret(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(plain))
  } catch {
    return undefined
  }
}

/** Identifies a secret version in the additional authenticated data. */
type SecretVersionContext = {
  environment: EnvironmentName
  teamId: string
  scriptId: string
  secretId: string
  variable: string
  version: number
}

/** Seals a version of a secret with its own data key, which the team's key wraps. */
export function sealVersion(
  secret: Secret,
  context: SecretVersionContext & { type: SecretType },
  keys: Keyring,
  nowMs: number,
): SecretVersion {
  const { environment: _, teamId, ...row } = context
  const dataKey = randomBytes(32)
  return {
    ...row,
    wrappedKey: keys.team(teamId).wrapKey(dataKey, secretVersionAad(context)),
    ciphertext: seal(createSecretKey(dataKey), Buffer.from(secret.open()), secretVersionAad(context)),
    createdAt: nowMs,
  }
}

export function openVersion(
  row: SecretVersion,
  { environment, teamId }: Pick<SecretVersionContext, 'environment' | 'teamId'>,
  keys: Keyring,
): Secret {
  const aad = secretVersionAad({ ...row, environment, teamId })
  const dataKey = createSecretKey(keys.team(teamId).unwrapKey(row.wrappedKey, aad))
  return new Secret(open(dataKey, row.ciphertext, aad).toString())
}

const secretVersionAad = ({ environment, teamId, scriptId, secretId, variable, version }: SecretVersionContext) =>
  JSON.stringify([environment, teamId, scriptId, secretId, variable, version])

/**
 * The secrets that a script refers to, by variable. Throws if one is missing in the store, which is an internal error.
 */
export async function openSecrets(
  refs: Readonly<Record<string, SecretRef>>,
  deps: { store: Pick<Store, 'secret'>; keys: Keyring; environment: EnvironmentName; teamId: string },
): Promise<Record<string, Secret>> {
  const opened = Object.entries(refs).map(async ([variable, ref]) => {
    const row = await deps.store.secret(ref)
    if (row?.variable !== variable)
      throw new Error(`${variable} (${ref.secretId}, ${ref.version}) is not in the store.`)
    await deps.keys.findTeamKey(deps.teamId, row.wrappedKey)
    return [variable, openVersion(row, deps, deps.keys)] as const
  })
  return Object.fromEntries(await Promise.all(opened))
}
