import type { Keyring } from '#account/keyring.ts'
import { openRecord, type RecordEvent, recordEvents } from '#event/record.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { LeasedRecord, Stream } from '#stream/stream.ts'

/** A decrypted record of the stream. */
export type OpenedRecord = { position: number; bytes: number; events: readonly RecordEvent[] }

/** Throws if the record cannot be decrypted or is not JSON. */
export function openStreamRecord(
  { position, payload }: Pick<LeasedRecord, 'position' | 'payload'>,
  { tagId, teamId }: Pick<Snapshot, 'tagId' | 'teamId'>,
  keys: Keyring,
): OpenedRecord {
  return { position, bytes: payload.length, events: recordEvents(openRecord(payload, tagId, teamId, keys)) }
}

/** The cache's maximum, in bytes of sealed records; opened, they take about ten times as much memory. */
const maxBytes = 4 * 1024 * 1024

/** A cached record, with what was built of its events by their index, and how often it will still be used. */
export type CachedRecord<Built> = { record: OpenedRecord; built: Map<number, Built>; uses: number }
/** Caches the newest records. */
export type RecordCache<Built> = {
  get(position: number): CachedRecord<Built> | undefined
  add(record: OpenedRecord): CachedRecord<Built>
  /** Sets the remaining uses of a record; it is dropped after the last. Default: unlimited. */
  expect(position: number, uses: number): void
  markUsed(position: number): void
}

export function openRecordCache<Built>(stream: Pick<Stream, 'rewritten'>): RecordCache<Built> {
  const records = new Map<number, CachedRecord<Built>>()
  let bytes = 0
  let rewritten = stream.rewritten()

  function drop(position: number): void {
    bytes -= records.get(position)?.record.bytes ?? 0
    records.delete(position)
  }
  return {
    get(position) {
      // A record that was read before an erasure may contain erased events.
      if (rewritten !== stream.rewritten()) for (const each of [...records.keys()]) drop(each)
      rewritten = stream.rewritten()
      return records.get(position)
    },
    add(record) {
      const cached = { record, built: new Map(), uses: Number.POSITIVE_INFINITY }
      drop(record.position)
      records.set(record.position, cached)
      bytes += record.bytes
      for (const oldest of records.keys()) {
        if (bytes <= maxBytes || oldest === record.position) break
        drop(oldest)
      }
      return cached
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
