import type { StreamEntry } from '#stream/stream.ts'

/**
 * The entries of one group in one ArrayBuffer, which is transferred to the thread and back without a copy. Format:
 * `[count, (bytes of the tag id, number of keys, number of other keys, bytes of the payload) × count]` as 32-bit
 * numbers, then, aligned to 8, the keys and the other keys of each entry, then tag id and payload of each. The thread
 * overwrites each key with its result: 1 for a new event, 0 for a duplicate.
 */
export type EntryBuffer = ArrayBuffer
/** `others` is empty if the entry has none. */
export type PackedEntry = { tagId: string; keys: BigInt64Array; others: BigInt64Array; payload: Uint8Array }

const minBytes = 64 * 1024
const maxReusedBytes = 4 * 1024 * 1024

const headWords = 4
const keysAt = (count: number) => Math.ceil((4 + 4 * headWords * count) / 8) * 8
const tagBytes = ({ tagId }: StreamEntry) => Buffer.byteLength(tagId)
const keyCount = ({ keys, others }: StreamEntry) => keys.length + (others?.length ?? 0)

/** The approximate size of an entry in a group, in bytes. */
export const entryWeight = (entry: StreamEntry) => entry.payload.length + keyCount(entry) * 8 + 64

function sizeOf(entries: readonly StreamEntry[]): number {
  let size = keysAt(entries.length)
  for (const entry of entries) size += tagBytes(entry) + keyCount(entry) * 8 + entry.payload.length
  return size
}

/** Packs a group. `spare`, the buffer of an earlier group, is reused if it is large enough. */
export function packEntries(entries: readonly StreamEntry[], spare?: EntryBuffer): EntryBuffer {
  const size = sizeOf(entries)
  const packed = spare && spare.byteLength >= size ? spare : new ArrayBuffer(Math.max(size, minBytes))
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

/** Unpacks a group. Keys are signed, as SQLite stores them. The caller overwrites them with the results. */
export function* unpackEntries(packed: EntryBuffer): Generator<PackedEntry> {
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

/** The results of the thread: for each event of each entry, in order, whether it is new. */
export function readNewFlags(packed: EntryBuffer, entries: readonly StreamEntry[]): boolean[][] {
  let at = keysAt(entries.length)
  return entries.map((entry) => {
    const results = new BigInt64Array(packed, at, entry.keys.length)
    at += keyCount(entry) * 8
    return Array.from(results, (result) => result === 1n)
  })
}

/** The buffer to reuse for the next group; undefined for an unusually large one, so that it is freed. */
export const reusableBuffer = (packed: EntryBuffer) => (packed.byteLength <= maxReusedBytes ? packed : undefined)
