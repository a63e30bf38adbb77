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

/** 16 bytes as 26 characters of Crockford base32, lower case. */
function base32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let bitCount = 2 // 128 bits = 26 × 5 - 2: starts with two zero bits
  for (const byte of bytes) {
    bits = (bits << 8) | byte
    bitCount += 8
    while (bitCount >= 5) {
      bitCount -= 5
      text += alphabet[(bits >>> bitCount) & 31]
    }
    bits &= (1 << bitCount) - 1
  }
  return text
}

/** A prefix and a UUIDv7 (RFC 9562) in Crockford base32: `scr_…`. Ids with the same prefix sort by time of creation. */
export function newId(prefix: string, nowMs: number): string {
  const bytes = random16()
  bytes.writeUIntBE(nowMs, 0, 6)
  bytes[6] = 0x70 | (bytes[6]! & 0x0f)
  bytes[8] = 0x80 | (bytes[8]! & 0x3f)
  return `${prefix}_${base32(bytes)}`
}

/** `usr_` and 128 random bits, so that ids of other users cannot be guessed. */
export const newUserId = () => `usr_${base32(random16())}`
