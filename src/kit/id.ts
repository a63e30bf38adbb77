import { randomFillSync } from 'node:crypto'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const pool = Buffer.alloc(16 * 256)
let used = pool.length

/** 16 random bytes from a pool, because a system call for each costs more. The buffer is valid until the next call. */
function random16(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += 16
  return pool.subarray(used - 16, used)
}

const letters = Buffer.from(alphabet)
const written = Buffer.alloc(26)

/** 16 bytes as 26 characters of Crockford base32, lower case. */
function base32(bytes: Uint8Array): string {
  let at = 0
  let bits = 0
  let bitCount = 2 // 128 bits = 26 × 5 - 2: starts with two zero bits
  for (const byte of bytes) {
    bits = (bits << 8) | byte
    bitCount += 8
    while (bitCount >= 5) {
      bitCount -= 5
      written[at++] = letters[(bits >>> bitCount) & 31]!
    }
    bits &= (1 << bitCount) - 1
  }
  return written.toString('latin1')
}

/** A prefix and a UUIDv7 (RFC 9562) in Crockford base32: `scr_…`. Ids with the same prefix sort by time of creation. */
export const newId = (prefix: string, nowMs: number): string => idFrom(prefix, nowMs, random16())

/** The same with 16 bytes or more in place of the random ones; the first of them are overwritten. */
export function idFrom(prefix: string, nowMs: number, seed: Buffer): string {
  const bytes = seed.subarray(0, 16)
  bytes.writeUIntBE(nowMs, 0, 6)
  bytes[6] = 0x70 | (bytes[6]! & 0x0f)
  bytes[8] = 0x80 | (bytes[8]! & 0x3f)
  return `${prefix}_${base32(bytes)}`
}

const madeId = /^[a-z]+_([0-7][0-9a-hjkmnp-tv-z]{25})$/

/** The UUIDv7 of an id of `newId` or `idFrom`, in its usual form; undefined for any other text. */
export function idUuid(id: string): string | undefined {
  const text = madeId.exec(id)?.[1]
  if (text === undefined) return undefined
  let value = 0n
  for (const letter of text) value = (value << 5n) | BigInt(alphabet.indexOf(letter))
  const hex = value.toString(16).padStart(32, '0')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** When an id of `newId` or `idFrom` was made (epoch ms); undefined for any other text. */
export function idTime(id: string): number | undefined {
  const text = madeId.exec(id)?.[1]
  if (text === undefined) return undefined
  let time = 0
  for (const letter of text.slice(0, 10)) time = time * 32 + alphabet.indexOf(letter) // 10 × 5 bits, of which the first 2 are zero
  return time
}

/** `usr_` and 128 random bits, so that ids of other users cannot be guessed. */
export const newUserId = () => `usr_${base32(random16())}`
