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

const algorithm = 'aes-256-gcm'
const nonceLength = 12
const tagLength = 16
const saltLength = 16
const bulkHeadLength = saltLength + 4
const noMark = new Uint8Array()

/**
 * A 256-bit key for one use, by HKDF-SHA-256 (RFC 5869). `info` names the use: other info, other salt, unrelated key.
 * A KeyObject, because a cipher that is given the raw bytes spends 10 µs on wrapping them each time.
 */
export const deriveKey = (from: KeyObject | Uint8Array, info: string, salt: Uint8Array = new Uint8Array()): KeyObject =>
  createSecretKey(new Uint8Array(hkdfSync('sha256', from, salt, info, 32)))

/** Equal or not, in a time that tells only the lengths. */
export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b)

/**
 * AES-256-GCM: `nonce (12) | ciphertext | tag (16)`. `aad` is bound, not kept: who opens must name it again.
 * The nonce is random. Two of them meet with a chance below 2^-32 as long as one key seals no more than 2^32 times
 * (NIST SP 800-38D, 8.3): for keys that wrap other keys, not for events. Those take a `bulkCipher`.
 */
export const seal = (key: KeyObject, plain: Uint8Array, aad: string): Buffer =>
  encrypt(key, randomBytes(nonceLength), plain, aad)

/** What was sealed. Throws when the key or `aad` is another, or a bit has changed. */
export const open = (key: KeyObject, sealed: Uint8Array, aad: string): Buffer => decrypt(key, nonceLength, sealed, aad)

export type Cipher = {
  seal(plain: Uint8Array, aad: string): Buffer
  open(sealed: Uint8Array, aad: string): Buffer
}

/**
 * AES-256-GCM for as much as there is: `salt (16) | count (4) | ciphertext | tag (16)`.
 *
 * A busy team passes 2^32 events within weeks, and several processes seal under its key without asking each other. So
 * every writer draws 128 random bits, derives a key of its own from them and only counts: within a writer no nonce can
 * come twice, and writers that share no salt share no key. After `renewAfter` seals it draws a new salt. Drawing salts
 * stays safe for 2^48 of them (chance of a repeat 2^-33).
 *
 * `mark` goes in front of all that is sealed, as it is: for telling by which of several keys it was.
 */
export function bulkCipher(key: KeyObject, renewAfter: number = 2 ** 32, mark: Uint8Array = noMark): Cipher {
  const keyOf = saltedKeys(key)
  const saltAt = mark.length
  const countAt = saltAt + saltLength
  const head = Buffer.alloc(saltAt + bulkHeadLength)
  head.set(mark)
  let own = key
  let count = renewAfter
  return {
    seal(plain, aad) {
      if (count === renewAfter) {
        randomFillSync(head, saltAt, saltLength)
        own = keyOf(head.subarray(saltAt, countAt))
        count = 0
      }
      head.writeUInt32BE(count++, countAt)
      return encrypt(own, head, plain, aad)
    },
    open: (sealed, aad) => decrypt(keyOf(sealed.subarray(saltAt, countAt)), head.length, sealed, aad),
  }
}

/** The key of each salt, remembered for the latest 256: there is one per writer and start, not one per event. */
function saltedKeys(key: KeyObject): (salt: Uint8Array) => KeyObject {
  const known = new Map<string, KeyObject>()
  return (salt) => {
    const name = Buffer.from(salt.buffer, salt.byteOffset, salt.length).toString('latin1')
    const found = known.get(name)
    if (found) return found
    const made = deriveKey(key, 'salted', salt)
    if (known.size === 256) known.delete(known.keys().next().value!)
    known.set(name, made)
    return made
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
    throw new Error('Sealed bytes do not open: they were sealed by another key or for another thing, or are damaged.')
  }
}
