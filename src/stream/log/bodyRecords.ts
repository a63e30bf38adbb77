import type { LogPlace } from '#log/log.ts'

/** The indexes of the set bits, in order. */
export function setIndexes(bits: Uint8Array): number[] {
  const indexes: number[] = []
  for (let index = 0; index < bits.length * 8; index++) if (bits[index >> 3]! & (1 << (index & 7))) indexes.push(index)
  return indexes
}

/** The kinds of records in the log of a stream. */
export const recordKinds = { body: 1, settled: 2, moved: 3 } as const

/** A body in the log. `keys`: the keys of its new events, in order. */
export type BodyRecord = {
  position: number
  tagId: string
  appendedAt: number
  newIndexes: readonly number[]
  keys: readonly bigint[]
  payload: Uint8Array
  /** The earlier copy, whose bytes are erased. */
  movedFrom?: LogPlace
}

/** One bit for each event up to the last new one, the first event in the lowest bit: 1 if it is new. 500 fit in 63 bytes. */
export function newBits(newIndexes: readonly number[]): Uint8Array {
  const bits = new Uint8Array(((newIndexes.at(-1) ?? -1) + 8) >> 3)
  for (const index of newIndexes) bits[index >> 3]! |= 1 << (index & 7)
  return bits
}

const headBytes = 8 + 8 + 24 + 2 + 2 + 2
/** The minimum length of a body in the log. */
export const minBodyBytes = headBytes

/**
 * Position f64 · appended f64 · earlier copy (segment, offset, length f64) · bytes of the tag, bytes of the bitset, number of
 * keys u16 · tag · bitset · keys u64 · payload.
 */
export function encodeBody(body: BodyRecord): { kind: number; body: Uint8Array } {
  const { position, tagId, appendedAt, newIndexes, keys, payload, movedFrom } = body
  const bits = newBits(newIndexes)
  const tagBytes = Buffer.byteLength(tagId)
  const bytes = Buffer.allocUnsafe(headBytes + tagBytes + bits.length + 8 * keys.length + payload.length)
  bytes.writeDoubleLE(position, 0)
  bytes.writeDoubleLE(appendedAt, 8)
  bytes.writeDoubleLE(movedFrom?.segment ?? 0, 16)
  bytes.writeDoubleLE(movedFrom?.offset ?? 0, 24)
  bytes.writeDoubleLE(movedFrom?.length ?? 0, 32)
  bytes.writeUInt16LE(tagBytes, 40)
  bytes.writeUInt16LE(bits.length, 42)
  bytes.writeUInt16LE(keys.length, 44)
  bytes.write(tagId, headBytes)
  let at = headBytes + tagBytes
  bytes.set(bits, at)
  at += bits.length
  for (const key of keys) at = bytes.writeBigUInt64LE(BigInt.asUintN(64, key), at)
  bytes.set(payload, at)
  return { kind: movedFrom ? recordKinds.moved : recordKinds.body, body: bytes }
}

/** Decodes a body; undefined for other bytes. */
export function decodeBody(given: Uint8Array): BodyRecord | undefined {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
  if (bytes.length < headBytes) return undefined
  const [tagBytes, bitBytes, keyCount] = [bytes.readUInt16LE(40), bytes.readUInt16LE(42), bytes.readUInt16LE(44)]
  const bitsAt = headBytes + tagBytes
  const keysAt = bitsAt + bitBytes
  if (keysAt + 8 * keyCount > bytes.length) return undefined
  const segment = bytes.readDoubleLE(16)
  return {
    position: bytes.readDoubleLE(0),
    appendedAt: bytes.readDoubleLE(8),
    tagId: bytes.toString('utf8', headBytes, bitsAt),
    newIndexes: setIndexes(bytes.subarray(bitsAt, keysAt)),
    keys: Array.from({ length: keyCount }, (_, n) => bytes.readBigUInt64LE(keysAt + 8 * n)),
    payload: bytes.subarray(keysAt + 8 * keyCount),
    ...(segment > 0 && {
      movedFrom: { segment, offset: bytes.readDoubleLE(24), length: bytes.readDoubleLE(32) },
    }),
  }
}

export function encodeSettled(positions: readonly number[]): { kind: number; body: Uint8Array } {
  const body = Buffer.allocUnsafe(8 * positions.length)
  for (const [n, position] of positions.entries()) body.writeDoubleLE(position, 8 * n)
  return { kind: recordKinds.settled, body }
}

export function decodeSettled(given: Uint8Array): number[] {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
  return Array.from({ length: bytes.length / 8 }, (_, n) => bytes.readDoubleLE(8 * n))
}
