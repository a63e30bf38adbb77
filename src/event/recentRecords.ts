import type { SizedRecordPart } from './record.ts'

/**
 * The records that this process sealed most recently, still parsed, so that a worker of the same process need not decrypt
 * and parse them. Only the stream decides what is delivered: a record that is missing here is opened from its payload, and
 * a rewritten payload is not found here.
 */
export type RecentRecords = {
  keep(payload: Uint8Array, tagId: string, parts: readonly SizedRecordPart[]): void
  /** Returns and removes the parts of this payload; undefined if they are not cached. */
  take(payload: Uint8Array, tagId: string): readonly SizedRecordPart[] | undefined
}

/** In bytes of uncompressed records. Parsed records take about ten times as much memory. */
const maxTotalBytes = 2 * 1024 * 1024

/** The length of the authentication tag at the end of a sealed payload. The tag differs for each payload. */
const tagBytes = 16

const keyOf = (payload: Uint8Array, tagId: string) =>
  tagId + Buffer.from(payload.buffer, payload.byteOffset + payload.length - tagBytes, tagBytes).toString('latin1')

export function openRecentRecords(maxBytes: number = maxTotalBytes): RecentRecords {
  const records = new Map<string, { parts: readonly SizedRecordPart[]; bytes: number }>()
  let total = 0

  function drop(key: string): void {
    total -= records.get(key)?.bytes ?? 0
    records.delete(key)
  }
  return {
    keep(payload, tagId, parts) {
      const bytes = parts.reduce((sum, part) => sum + part.bytes, 0)
      if (bytes > maxBytes) return
      total += bytes
      records.set(keyOf(payload, tagId), { parts, bytes })
      for (const oldest of records.keys()) {
        if (total <= maxBytes) break
        drop(oldest)
      }
    },
    take(payload, tagId) {
      const key = keyOf(payload, tagId)
      const kept = records.get(key)
      drop(key)
      return kept?.parts
    },
  }
}
