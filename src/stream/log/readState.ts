import type { DatabaseSync } from 'node:sqlite'
import type { Disk } from '#log/disk.ts'
import type { LogPlace, LogPosition } from '#log/log.ts'
import { type CorruptRange, readGroups } from '#log/readGroups.ts'
import { type BodyRecord, decodeBody, decodeSettled, minBodyBytes, recordKinds } from './bodyRecords.ts'
import { openSettledPositions, type SettledPositions } from './settledPositions.ts'

/** The state of the stream at the end of the log. */
export type StreamState = {
  /** The last assigned position, and the last position in the index. */
  last: number
  indexed: number
  settled: SettledPositions
  corrupt: CorruptRange[]
}

/** Called for each body behind the checkpoint, in order: a later copy replaces an earlier one. */
type OnBody = (body: BodyRecord, place: LogPlace) => void

/** Reads the checkpoint, and the log behind it. */
export function readStreamState(db: DatabaseSync, disk: Disk, onBody: OnBody): StreamState {
  const row = db.prepare('SELECT * FROM checkpoint').get() as Record<string, number>
  const ahead = db.prepare('SELECT position FROM settled').all()
  const settled = openSettledPositions(
    row.cursor!,
    ahead.map(({ position }) => Number(position)),
  )
  const last = settled.ahead().reduce((highest, each) => Math.max(highest, each), Math.max(row.position!, row.cursor!))
  const state: StreamState = { last, indexed: row.position!, settled, corrupt: [] }
  const from: LogPosition = { segment: row.segment!, offset: row.offset! }
  const seen = new Set<number>()
  for (const group of readGroups(disk, from)) {
    if (!('records' in group)) {
      state.corrupt.push(group)
      // A damaged part may have had this many bodies: their positions must not be assigned again.
      state.last += Math.ceil((group.end - group.offset) / minBodyBytes)
    } else
      for (const { kind, body, place } of group.records) {
        if (!body) continue
        if (kind === recordKinds.settled) settled.settle(decodeSettled(body))
        else {
          const record = decodeBody(body)
          if (!record) continue
          seen.add(record.position)
          state.last = Math.max(state.last, record.position)
          onBody(record, place)
        }
      }
  }
  // Missing positions were never stored, or cannot be read: settle them, so that they block nothing.
  const missing: number[] = []
  for (let position = state.indexed + 1; position <= state.last; position++)
    if (!seen.has(position)) missing.push(position)
  settled.settle(missing)
  return state
}
