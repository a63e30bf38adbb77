import type { DatabaseSync } from 'node:sqlite'
import { transact } from '#kit/sqlite.ts'
import type { SegmentFilters } from '#stream/dedup/dedupIndex.ts'
import type { EntryBuffer } from './entryBuffer.ts'
import { openStreamRecords, type StreamRecords } from './records.ts'
import type { StreamState } from './streamState.ts'

/** A command for the thread: a group of appends and settled positions, a deletion, a lookup of a key, or a rewrite. */
export type StreamCommand = { nowMs: number } & (
  | { entries: EntryBuffer; settled: readonly number[] }
  | { dropBeforeMs: number }
  | { drop: readonly number[] }
  | { find: bigint }
  | { rewrite: number; payload: Uint8Array }
)
/** `more`: there may be more to delete. `place`: that of the event with the key (`packPlace`). */
export type StreamCommandResult = {
  state: StreamState
  entries?: EntryBuffer
  more?: boolean
  place?: number | undefined
}

type WriteResult = Omit<StreamCommandResult, 'state'>

function write(db: DatabaseSync, records: StreamRecords, command: StreamCommand): WriteResult {
  if ('find' in command) return { place: records.find(command.find, command.nowMs) }
  if ('rewrite' in command) return rewrite(db, command)
  if ('drop' in command) return drop(db, command.drop)
  if ('dropBeforeMs' in command) return { more: records.drop(command.dropBeforeMs, command.nowMs) }
  records.append(command.entries, command.nowMs)
  records.settle(command.settled)
  return { entries: command.entries }
}

function drop(db: DatabaseSync, positions: readonly number[]): WriteResult {
  db.prepare('DELETE FROM body WHERE position IN (SELECT value FROM json_each(?))').run(JSON.stringify(positions))
  return {}
}

function rewrite(db: DatabaseSync, { rewrite, payload }: Extract<StreamCommand, { rewrite: number }>): WriteResult {
  db.prepare('UPDATE body SET payload = ? WHERE position = ?').run(payload, rewrite)
  return {}
}

/** Executes each command in one transaction. If it throws, nothing was written, and the next command may follow. */
export function groupCommitter(db: DatabaseSync): (command: StreamCommand) => StreamCommandResult {
  const filters: SegmentFilters = new Map()
  let reusable: StreamRecords | undefined
  return (command) => {
    const records = reusable ?? openStreamRecords(db, filters)
    // The records in memory are valid again once the transaction is committed.
    reusable = undefined
    const result = transact(db, () => write(db, records, command))
    reusable = records
    return { state: records.state(), ...result }
  }
}
