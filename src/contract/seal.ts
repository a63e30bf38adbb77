import type { EnvironmentName, SealingKey } from './me.ts'
import type { SecretEntry, SecretType } from './script.ts'

/** The context to which a secret is bound: it cannot be opened in any other. */
export type SealedFor = {
  environment: EnvironmentName
  teamId: string
  providerId: string
  variable: string
  type: SecretType
}

/** The protected header of scheme SE1: canonical JSON (RFC 8785), names sorted. Has `salt` only when one is given. */
export const protectedHeader = (to: SealedFor, kid: string, salt?: string | null): string =>
  JSON.stringify({
    alg: 'RSA-OAEP-256',
    enc: 'A256GCM',
    env: to.environment,
    kid,
    prv: to.providerId,
    ...(salt != null && { salt }),
    team: to.teamId,
    typ: 'aglet-secret+jwe',
    v: 1,
    var: to.variable,
    vty: to.type,
  })

/** The additional authenticated data of GCM: the header's base64url as ASCII bytes (RFC 7516, 5.1). */
export const headerBytes = (header: string) => new TextEncoder().encode(base64url(new TextEncoder().encode(header)))

/**
 * Seals a plaintext as a secret entry of scheme SE1 (docs/secret-entries.md) with WebCrypto only. `key` is
 * `encryptionKey` of GET /me; `salt` is 16 to 64 random bytes. An empty plaintext unsets an optional variable.
 * Throws without WebCrypto (a page loaded over plain http from another host than localhost), and for a plaintext that
 * cannot be encoded in UTF-8.
 */
export async function sealEntry({
  plaintext,
  key,
  salt,
  ...to
}: SealedFor & { plaintext: string; key: SealingKey; salt?: Uint8Array }): Promise<SecretEntry> {
  const { subtle } = crypto
  if (!subtle)
    throw new Error('This page has no WebCrypto: open it over https or on localhost, or use `aglet secret seal`.')
  if (!plaintext.isWellFormed()) throw new Error('The plaintext has a lone surrogate, which UTF-8 cannot encode.')
  const saltText = salt && base64url(salt)
  const publicKey = await subtle.importKey('jwk', key, { name: 'RSA-OAEP', hash: 'SHA-256' }, false, ['encrypt'])
  const contentKey = crypto.getRandomValues(new Uint8Array(32))
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const additionalData = headerBytes(protectedHeader(to, key.kid, saltText))
  const aes = await subtle.importKey('raw', contentKey, 'AES-GCM', false, ['encrypt'])
  const data = await subtle.encrypt({ name: 'AES-GCM', iv, additionalData }, aes, new TextEncoder().encode(plaintext))
  const encryptedKey = await subtle.encrypt({ name: 'RSA-OAEP' }, publicKey, contentKey)
  return {
    variable: to.variable,
    type: to.type,
    data: base64url(new Uint8Array(data)),
    iv: base64url(iv),
    key: `${key.kid}.${base64url(new Uint8Array(encryptedKey))}`,
    ...(saltText !== undefined && { salt: saltText }),
  }
}

function base64url(bytes: Uint8Array): string {
  let binary = ''
  // In chunks, because the number of arguments of a call is limited.
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
