import type { DatabaseSync } from 'node:sqlite'
import { processLog } from '#kit/log.ts'
import type { SegmentLog } from '#log/log.ts'
import type { LeasedRecord } from '#stream/stream.ts'
import { type BodyRecord, decodeBody, setIndexes } from './bodyRecords.ts'
import type { WaitingBody } from './leases.ts'
import type { RecentBodies, RecentBody } from './recentBodies.ts'

/** The bodies of a stream: the newest are in memory, the others are found by the index. */
export type StoredBodies = ReturnType<typeof openBodies>

type BodiesDeps = {
  log: Pick<SegmentLog, 'read'>
  db: DatabaseSync
  recent: RecentBodies
  /** `indexed`: the index has all bodies up to this position. */
  state: { indexed: number }
}

type BodyRow = {
  position: number
  tag: string
  appended_at: number
  new_indexes: Uint8Array
  segment: number
  offset: number
  length: number
}

const selectPlace =
  'SELECT position, tag, appended_at, new_indexes, segment, offset, length FROM body WHERE position = ?'
const selectAfter =
  'SELECT position, tag, new_indexes FROM body WHERE position > ? AND position <= ? ORDER BY position LIMIT ?'

export function openBodies({ log, db, recent, state }: BodiesDeps) {
  const place = db.prepare(selectPlace)
  const after = db.prepare(selectAfter)

  function find(position: number): RecentBody | undefined {
    const known = recent.get(position)
    if (known) return known
    const row = place.get(position) as BodyRow | undefined
    if (!row) return undefined
    const { tag: tagId, appended_at: appendedAt, segment, offset, length } = row
    return { position, tagId, appendedAt, newIndexes: setIndexes(row.new_indexes), place: { segment, offset, length } }
  }
  /** The record in the log; undefined if it was erased or deleted, or cannot be read. */
  async function readRecord({ position, place }: RecentBody): Promise<BodyRecord | undefined> {
    const bytes = await log.read(place)
    const record = bytes && decodeBody(bytes)
    if (record?.position === position) return record
    if (bytes) processLog({ level: 'error', message: 'a body of the stream cannot be read', position, ...place })
    return undefined
  }
  return {
    find,
    readRecord,
    async read(position: number): Promise<LeasedRecord | undefined> {
      const body = find(position)
      if (!body) return undefined
      const payload = body.payload ?? (await readRecord(body))?.payload
      return payload && { position, tagId: body.tagId, payload, newIndexes: body.newIndexes }
    },
    /** At most `limit` bodies after a position, in order, settled or not. */
    after(position: number, limit: number): WaitingBody[] {
      const rows = position < state.indexed ? (after.all(position, state.indexed, limit) as BodyRow[]) : []
      const indexed = rows.map((row) => {
        return { position: row.position, tagId: row.tag, events: setIndexes(row.new_indexes).length }
      })
      if (indexed.length === limit) return indexed
      const newer = recent.after(Math.max(position, state.indexed), limit - indexed.length)
      const waiting = newer.map(({ position: at, tagId, newIndexes }) => {
        return { position: at, tagId, events: newIndexes.length }
      })
      return [...indexed, ...waiting]
    },
  }
}
