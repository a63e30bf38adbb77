import type { Entry } from '#stream/stream.ts'

/**
 * The entries of one group in one piece of memory, handed to the thread and back without a copy:
 * `[count, (bytes of the tag id, number of keys, number of other keys, bytes of the payload) × count]` as 32-bit numbers,
 * then from a multiple of 8 the keys and the other keys of each entry, then tag id and payload of each.
 * The thread writes its answers where the keys were: 1 for a fresh event, 0 for a repeat.
 */
export type Packed = ArrayBuffer
/** `others` is empty where the entry has none. */
export type PackedEntry = { tagId: string; keys: BigInt64Array; others: BigInt64Array; payload: Uint8Array }

const smallest = 64 * 1024
const kept = 4 * 1024 * 1024

const headWords = 4
const keysAt = (count: number) => Math.ceil((4 + 4 * headWords * count) / 8) * 8
const tagBytes = ({ tagId }: Entry) => Buffer.byteLength(tagId)
const keyCount = ({ keys, others }: Entry) => keys.length + (others?.length ?? 0)

/** About what an entry takes in a group. */
export const weightOf = (entry: Entry) => entry.payload.length + keyCount(entry) * 8 + 64

function sizeOf(entries: readonly Entry[]): number {
  let size = keysAt(entries.length)
  for (const entry of entries) size += tagBytes(entry) + keyCount(entry) * 8 + entry.payload.length
  return size
}

/** `spare` is the memory of a group that is done; it is used again when it is large enough. */
export function pack(entries: readonly Entry[], spare?: Packed): Packed {
  const size = sizeOf(entries)
  const packed = spare && spare.byteLength >= size ? spare : new ArrayBuffer(Math.max(size, smallest))
  const head = new Uint32Array(packed, 0, 1 + headWords * entries.length)
  const count = entries.reduce((sum, entry) => sum + keyCount(entry), 0)
  const keys = new BigUint64Array(packed, keysAt(entries.length), count)
  const bytes = Buffer.from(packed)
  let field = 0
  let key = 0
  let at = keys.byteOffset + keys.byteLength
  head[field++] = entries.length
  for (const entry of entries) {
    const length = bytes.write(entry.tagId, at)
    head[field++] = length
    head[field++] = entry.keys.length
    head[field++] = entry.others?.length ?? 0
    head[field++] = entry.payload.length
    for (const each of entry.keys) keys[key++] = each
    for (const each of entry.others ?? []) keys[key++] = each
    bytes.set(entry.payload, at + length)
    at += length + entry.payload.length
  }
  return packed
}

/** The entries of a group. Keys come signed, as the database takes them; writing to them answers. */
export function* unpack(packed: Packed): Generator<PackedEntry> {
  const count = new Uint32Array(packed, 0, 1)[0]!
  const head = new Uint32Array(packed, 4, headWords * count)
  const bytes = Buffer.from(packed)
  let keyAt = keysAt(count)
  let at = keyAt
  for (let field = 1; field < head.length; field += headWords) at += (head[field]! + head[field + 1]!) * 8
  for (let field = 0; field < head.length; field += headWords) {
    const payloadAt = at + head[field]!
    const keys = new BigInt64Array(packed, keyAt, head[field + 1]!)
    const others = new BigInt64Array(packed, keyAt + keys.byteLength, head[field + 2]!)
    at = payloadAt + head[field + 3]!
    keyAt += keys.byteLength + others.byteLength
    yield {
      tagId: bytes.toString('utf8', payloadAt - head[field]!, payloadAt),
      keys,
      others,
      payload: bytes.subarray(payloadAt, at),
    }
  }
}

/** For each event of each of these entries, in order, whether the thread found it fresh. */
export function answersOf(packed: Packed, entries: readonly Entry[]): boolean[][] {
  let at = keysAt(entries.length)
  return entries.map((entry) => {
    const answers = new BigInt64Array(packed, at, entry.keys.length)
    at += keyCount(entry) * 8
    return Array.from(answers, (answer) => answer === 1n)
  })
}

/** What is kept of a group for the next one: an unusually large piece of memory is let go. */
export const spareOf = (packed: Packed) => (packed.byteLength <= kept ? packed : undefined)
