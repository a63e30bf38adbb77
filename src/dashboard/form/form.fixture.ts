import type { SealingKey } from '#contract/me.ts'

/** A new public sealing key. */
export async function sealingKey(): Promise<SealingKey> {
  const algorithm = {
    name: 'RSA-OAEP',
    modulusLength: 3072,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: 'SHA-256',
  }
  const { publicKey } = await crypto.subtle.generateKey(algorithm, true, ['encrypt', 'decrypt'])
  const { n, e } = await crypto.subtle.exportKey('jwk', publicKey)
  return { kty: 'RSA', kid: 'key_1', use: 'enc', alg: 'RSA-OAEP-256', n: n!, e: e! }
}
