import { crc32 } from 'node:zlib'
import { idFrom, idUuid } from '#kit/id.ts'

/** The event and the script of a delivery. `receivedAt`: when the event was received (epoch ms). */
export type DeliveryOf = { receivedAt: number; position: number; index: number; scriptId: string }

/** The event of a delivery, and the code of its script. */
type DeliveryKey = { position: number; index: number; code: number }

const codeBits = 25
/** The upper 3 of the 40 bits of a position are next to the index, the lower 37 after the variant. */
const lowBits = 37
const highBits = 3
/** How many of the lower bits are in the last 32 bits of the id, before the code. */
const lastBits = 32 - codeBits
const prefix = 'dlv'

const codes = new Map<string, number>()
const maxCodes = 50_000

/** A number of 25 bits. The scripts of a tag have different codes, because an id with a taken code is drawn again. */
export function scriptCode(scriptId: string): number {
  const known = codes.get(scriptId)
  if (known !== undefined) return known
  const code = crc32(scriptId) >>> (32 - codeBits)
  if (codes.size >= maxCodes) codes.clear()
  codes.set(scriptId, code)
  return code
}

/**
 * The id of a delivery is a computed UUIDv7: one event and script always give the same id, so a store needs no index of
 * ids. Time of receipt 48 bits, version 4, index 9, position 3 and, after the variant, 37, code of the script 25.
 */
export function deliveryIdOf({ receivedAt, position, index, scriptId }: DeliveryOf): string {
  const bytes = Buffer.allocUnsafe(16)
  const low = position % 2 ** lowBits
  bytes.writeUInt16BE((index % 512) * 2 ** highBits + (Math.floor(position / 2 ** lowBits) % 2 ** highBits), 6)
  bytes.writeUInt32BE(Math.floor(low / 2 ** lastBits), 8)
  bytes.writeUInt32BE((low % 2 ** lastBits) * 2 ** codeBits + scriptCode(scriptId), 12)
  return idFrom(prefix, receivedAt, bytes)
}

/** The event and the script code in an id; undefined for a text that is not a delivery id. */
export function deliveryKeyOf(deliveryId: string): DeliveryKey | undefined {
  const hex = deliveryId.startsWith(`${prefix}_`) ? idUuid(deliveryId)?.replaceAll('-', '') : undefined
  if (hex === undefined) return undefined
  const indexAndHigh = Number.parseInt(hex.slice(13, 16), 16)
  const middle = Number.parseInt(hex.slice(16, 24), 16) % 2 ** 30
  const last = Number.parseInt(hex.slice(24), 16)
  return {
    position: (indexAndHigh % 2 ** highBits) * 2 ** lowBits + middle * 2 ** lastBits + Math.floor(last / 2 ** codeBits),
    index: Math.floor(indexAndHigh / 2 ** highBits),
    code: last % 2 ** codeBits,
  }
}
