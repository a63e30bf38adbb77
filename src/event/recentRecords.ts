import type { SizedRecordPart } from './record.ts'

/**
 * The records that this process sealed last, as they were before. A worker of the same process takes them, and need not
 * decrypt and parse what was parsed a moment ago. The stream alone decides what is delivered: a record that is not here is
 * opened from its payload, and a payload that was rewritten is not found here.
 */
export type RecentRecords = {
  keep(payload: Uint8Array, tagId: string, parts: readonly SizedRecordPart[]): void
  /** The parts of this payload; undefined if they are not kept. They are not kept any longer. */
  take(payload: Uint8Array, tagId: string): readonly SizedRecordPart[] | undefined
}

/** In bytes of records before compression; parsed, they take about ten times as much memory. */
const maxTotalBytes = 2 * 1024 * 1024

/** The authentication tag at the end of a sealed payload. It differs for each payload. */
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
