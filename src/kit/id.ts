import { randomFillSync } from 'node:crypto'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const pool = Buffer.alloc(16 * 256)
let used = pool.length

/** 16 random bytes out of a pool: asking the system for each costs more than the bytes. Valid until the next call. */
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
  let held = 2 // 128 bits are 26 × 5 less 2: two zero bits go first
  for (const byte of bytes) {
    bits = (bits << 8) | byte
    held += 8
    while (held >= 5) {
      held -= 5
      text += alphabet[(bits >>> held) & 31]
    }
    bits &= (1 << held) - 1
  }
  return text
}

/** `scr_` and a UUIDv7 (RFC 9562) in Crockford base32: ids of one kind sort by the time they were made. */
export function newId(prefix: string, nowMs: number): string {
  const bytes = random16()
  bytes.writeUIntBE(nowMs, 0, 6)
  bytes[6] = 0x70 | (bytes[6]! & 0x0f)
  bytes[8] = 0x80 | (bytes[8]! & 0x3f)
  return `${prefix}_${base32(bytes)}`
}

/** `usr_` and 128 random bits: who knows one id of a user must not be able to guess another. */
export const newUserId = () => `usr_${base32(random16())}`
