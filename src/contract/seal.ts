import type { EnvironmentName, SealingKey } from './me.ts'
import type { SecretEntry, SecretType } from './script.ts'

/** What a secret is sealed for: moved to anything else, it does not open. */
export type SealedFor = {
  environment: EnvironmentName
  teamId: string
  providerId: string
  variable: string
  type: SecretType
}

/** The protected header of scheme SE1: canonical JSON (RFC 8785), its names in order. `salt` only where one is sent. */
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

/** What GCM binds: the header's base64url, as ASCII bytes (RFC 7516, 5.1). */
export const headerBytes = (header: string) => new TextEncoder().encode(base64url(new TextEncoder().encode(header)))

/**
 * Seals a plaintext as a secret entry of scheme SE1 (docs/secret-entries.md) with WebCrypto alone. `key` is
 * `encryptionKey` of GET /me, `salt` 16 to 64 random bytes for who wants them. An empty plaintext unsets an optional
 * variable. Throws where there is no WebCrypto (a page that came over plain http from elsewhere than localhost), and for
 * a plaintext that UTF-8 cannot hold.
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
  if (!plaintext.isWellFormed()) throw new Error('The plaintext holds half a character (a lone surrogate).')
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
  // In pieces: a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
