import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

/**
 * Reads a private key (PEM, elliptic curve P-256), whose signatures openssl and cosign verify with the public key. Throws an
 * Error with a message for the person who releases.
 */
export function readReleaseKey(pem: string, passphrase?: string): KeyObject {
  let key: KeyObject
  try {
    key = createPrivateKey({ key: pem, ...(passphrase !== undefined && { passphrase }) })
  } catch {
    throw new Error(
      'The release key cannot be read: it must be a PEM file, and AGLET_RELEASE_KEY_PASSWORD its password.',
    )
  }
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new Error(
      'The release key must be on the elliptic curve P-256: openssl ecparam -genkey -noout -name prime256v1.',
    )
  return key
}

/** A single-use key for a dry run. */
export const throwawayKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

export const publicPem = (key: KeyObject): string =>
  createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString()

/** The signature of a text: ECDSA over SHA-256, DER. */
export const signText = (text: string, key: KeyObject): Buffer => sign('sha256', Buffer.from(text), key)
