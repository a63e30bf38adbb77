import type { Keyring } from '#account/keyring.ts'
import { openRecord, type RecordEvent, recordEvents, type SizedRecordPart } from '#event/record.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { LeasedRecord, Stream } from '#stream/stream.ts'

/** A decrypted record of the stream. */
export type OpenedRecord = { position: number; bytes: number; events: readonly RecordEvent[] }

type StreamRecord = Pick<LeasedRecord, 'position' | 'payload'>

export const toOpenedRecord = (
  { position }: Pick<LeasedRecord, 'position'>,
  parts: readonly SizedRecordPart[],
): OpenedRecord => ({
  position,
  bytes: parts.reduce((sum, part) => sum + part.bytes, 0),
  events: recordEvents(parts),
})

/** Throws if the record cannot be decrypted or is not JSON. */
export const openStreamRecord = (
  record: StreamRecord,
  { tagId, teamId }: Pick<Snapshot, 'tagId' | 'teamId'>,
  keys: Keyring,
): OpenedRecord => toOpenedRecord(record, openRecord(record.payload, tagId, teamId, keys))

/**
 * The maximum size of the cache, in bytes of uncompressed records. Parsed records take about ten times as much
 * memory.
 */
const maxBytes = 4 * 1024 * 1024

/**
 * A cached record with the decisions on its events and the built events, by index. `bytes`: its share of the maximum.
 * `uses`: remaining uses.
 */
type CachedRecord<Decided, Built> = {
  record: OpenedRecord
  decided: Map<number, Decided>
  built: Map<number, Built>
  bytes: number
  uses: number
}
/** Caches the newest records. */
export type RecordCache<Decided, Built> = {
  get(position: number): CachedRecord<Decided, Built> | undefined
  add(record: OpenedRecord): CachedRecord<Decided, Built>
  /** Stores the decision on an event with its record, if `bytes` (a tenth of its memory) still fit. */
  keepDecision(place: { position: number; index: number }, decided: Decided, bytes: number): void
  /** Sets the remaining uses of a record; the record is dropped after the last. Default: unlimited. */
  expect(position: number, uses: number): void
  markUsed(position: number): void
}

export function openRecordCache<Decided, Built>(stream: Pick<Stream, 'rewritten'>): RecordCache<Decided, Built> {
  const records = new Map<number, CachedRecord<Decided, Built>>()
  let bytes = 0
  let rewritten = stream.rewritten()

  function drop(position: number): void {
    bytes -= records.get(position)?.bytes ?? 0
    records.delete(position)
  }
  return {
    get(position) {
      // A record read before an erasure may contain erased events.
      if (rewritten !== stream.rewritten()) for (const each of [...records.keys()]) drop(each)
      rewritten = stream.rewritten()
      return records.get(position)
    },
    add(record) {
      const uses = Number.POSITIVE_INFINITY
      const cached = { record, decided: new Map(), built: new Map(), bytes: record.bytes, uses }
      drop(record.position)
      records.set(record.position, cached)
      bytes += record.bytes
      for (const oldest of records.keys()) {
        if (bytes <= maxBytes || oldest === record.position) break
        drop(oldest)
      }
      return cached
    },
    keepDecision({ position, index }, decided, decidedBytes) {
      const cached = records.get(position)
      if (!cached || bytes + decidedBytes > maxBytes) return
      cached.decided.set(index, decided)
      cached.bytes += decidedBytes
      bytes += decidedBytes
    },
    expect(position, uses) {
      const each = records.get(position)
      if (each) each.uses = uses
      if (uses === 0) drop(position)
    },
    markUsed(position) {
      const each = records.get(position)
      if (each && --each.uses === 0) drop(position)
    },
  }
}
