import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  randomFillSync,
  timingSafeEqual,
} from 'node:crypto'
import { createLruCache } from './lruCache.ts'

const algorithm = 'aes-256-gcm'
const nonceLength = 12
const tagLength = 16
const saltLength = 16
const bulkHeadLength = saltLength + 4
const noPrefix = new Uint8Array()

/**
 * Derives a 256-bit key by HKDF-SHA-256 (RFC 5869). `info` names the use of the key; another info or salt gives an
 * unrelated key. Returns a KeyObject, because a cipher spends 10 µs on each use to wrap raw bytes.
 */
export const deriveKey = (from: KeyObject | Uint8Array, info: string, salt: Uint8Array = new Uint8Array()): KeyObject =>
  createSecretKey(new Uint8Array(hkdfSync('sha256', from, salt, info, 32)))

/** Compares bytes in constant time for equal lengths. */
export const equalBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b)

/**
 * Encrypts with AES-256-GCM: `nonce (12) | ciphertext | tag (16)`. `aad` is authenticated but not stored; `open` needs
 * it again. The nonce is random. The chance of a repeated nonce is below 2^-32 for at most 2^32 uses of a key (NIST SP
 * 800-38D, 8.3). That is enough for keys that wrap other keys, but not for events, which use `bulkCipher`.
 */
export const seal = (key: KeyObject, plain: Uint8Array, aad: string): Buffer =>
  encrypt(key, randomBytes(nonceLength), plain, aad)

/** Decrypts sealed bytes. Throws for another key or `aad`, or if a bit has changed. */
export const open = (key: KeyObject, sealed: Uint8Array, aad: string): Buffer => decrypt(key, nonceLength, sealed, aad)

export type Cipher = {
  seal(plain: Uint8Array, aad: string): Buffer
  open(sealed: Uint8Array, aad: string): Buffer
}

/**
 * AES-256-GCM for any number of messages: `prefix | salt (16) | count (4) | ciphertext | tag (16)`.
 *
 * A busy team passes 2^32 events within weeks, and several processes seal under its key without coordination. So every
 * writer draws a random 128-bit salt, derives its own key from it, and uses a counter as nonce. No nonce repeats within
 * a writer, and writers with different salts have different keys. After `renewAfter` seals a writer draws a new salt.
 * That is safe for 2^48 salts (chance of a repeated salt: 2^-33).
 *
 * `prefix` is put unencrypted in front of the sealed bytes, to identify the key.
 */
export function bulkCipher(key: KeyObject, renewAfter: number = 2 ** 32, prefix: Uint8Array = noPrefix): Cipher {
  const keyForSalt = saltedKeyCache(key)
  const saltAt = prefix.length
  const countAt = saltAt + saltLength
  const head = Buffer.alloc(saltAt + bulkHeadLength)
  head.set(prefix)
  let writerKey = key
  let count = renewAfter
  return {
    seal(plain, aad) {
      if (count === renewAfter) {
        randomFillSync(head, saltAt, saltLength)
        writerKey = keyForSalt(head.subarray(saltAt, countAt))
        count = 0
      }
      head.writeUInt32BE(count++, countAt)
      return encrypt(writerKey, head, plain, aad)
    },
    open: (sealed, aad) => decrypt(keyForSalt(sealed.subarray(saltAt, countAt)), head.length, sealed, aad),
  }
}

/**
 * Derives the key of a salt, with a cache of the 256 that were used last. There is one salt for each writer and start.
 */
function saltedKeyCache(key: KeyObject): (salt: Uint8Array) => KeyObject {
  const cache = createLruCache<string, KeyObject>(256)
  return (salt) => {
    const name = Buffer.from(salt.buffer, salt.byteOffset, salt.length).toString('latin1')
    const found = cache.get(name)
    if (found) return found
    const derived = deriveKey(key, 'salted', salt)
    cache.set(name, derived)
    return derived
  }
}

/** `head | ciphertext | tag`; the nonce is the last 12 bytes of the head. */
function encrypt(key: KeyObject, head: Uint8Array, plain: Uint8Array, aad: string): Buffer {
  const cipher = createCipheriv(algorithm, key, head.subarray(-nonceLength)).setAAD(Buffer.from(aad))
  const body = cipher.update(plain)
  cipher.final()
  const sealed = Buffer.allocUnsafe(head.length + body.length + tagLength)
  sealed.set(head, 0)
  sealed.set(body, head.length)
  sealed.set(cipher.getAuthTag(), head.length + body.length)
  return sealed
}

function decrypt(key: KeyObject, headLength: number, sealed: Uint8Array, aad: string): Buffer {
  try {
    const nonce = sealed.subarray(headLength - nonceLength, headLength)
    const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagLength })
    decipher.setAAD(Buffer.from(aad)).setAuthTag(sealed.subarray(-tagLength))
    const plain = decipher.update(sealed.subarray(headLength, -tagLength))
    decipher.final()
    return plain
  } catch {
    throw new Error(
      'The sealed bytes could not be decrypted: they are damaged, or were sealed with another key or aad.',
    )
  }
}
