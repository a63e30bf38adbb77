import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { preparedStatements } from '#kit/sqlite.ts'
import { dayOf } from '#stream/days.ts'
import { type DailyKeys, openDailyKeys, packPlace } from '#stream/dedup/dailyKeys.ts'
import type { SegmentFilters } from '#stream/dedup/dedupIndex.ts'
import { toBitset } from './bitset.ts'
import { type EntryBuffer, type PackedEntry, unpackEntries } from './entryBuffer.ts'
import { readStreamState, type StreamState } from './streamState.ts'

/** The operations of the thread inside a transaction. Must be opened again after a rollback. */
export type StreamRecords = {
  /** Stores each body with a new event. Writes the results into the packed entries. */
  append(entries: EntryBuffer, nowMs: number): void
  /** The place of the event with this key (`packPlace`). */
  find(key: bigint, nowMs: number): number | undefined
  settle(positions: readonly number[]): void
  /** Deletes some older settled bodies, then some expired keys. True while there may be more. */
  drop(beforeMs: number, nowMs: number): boolean
  state(): StreamState
}

/** Bodies that are deleted in one transaction, which bounds the wait of appends. */
const bodiesPerDeletion = 200

export function openStreamRecords(db: DatabaseSync, filters: SegmentFilters): StreamRecords {
  const prepared = preparedStatements(db)
  let { last, cursor } = readStreamState(db)
  const ahead = new Set(
    prepared('SELECT position FROM settled')
      .all()
      .map(({ position }) => Number(position)),
  )
  let opened: { day: number; keys: DailyKeys } | undefined

  const keysOn = (day: number): DailyKeys => {
    if (opened?.day !== day) opened = { day, keys: openDailyKeys(db, day, filters) }
    return opened.keys
  }
  const appendEntry = ({ tagId, keys, others, payload }: PackedEntry, { take, has }: DailyKeys, nowMs: number) => {
    const position = last + 1
    const areNew: boolean[] = []
    for (const [index, key] of keys.entries()) {
      const isNew = key !== 0n && !has(others[index] ?? 0n) && take(key, packPlace(position, index))
      areNew.push(isNew)
      keys[index] = isNew ? 1n : 0n
    }
    if (!areNew.includes(true)) return
    const insert = prepared('INSERT INTO body (position, tag, appended_at, fresh, payload) VALUES (?, ?, ?, ?, ?)')
    insert.run(position, tagId, nowMs, toBitset(areNew), payload)
    last = position
  }
  return {
    append(entries, nowMs) {
      const keys = keysOn(dayOf(nowMs))
      for (const entry of unpackEntries(entries)) appendEntry(entry, keys, nowMs)
      keys.write()
    },
    find: (key, nowMs) => keysOn(dayOf(nowMs)).find(key),
    settle(positions) {
      const before = cursor
      const added = positions.filter((each) => each > cursor && each <= last && !ahead.has(each))
      for (const each of added) ahead.add(each)
      while (ahead.delete(cursor + 1)) cursor++
      for (const each of added)
        if (each > cursor) prepared('INSERT OR IGNORE INTO settled (position) VALUES (?)').run(each)
      if (cursor === before) return
      prepared('DELETE FROM settled WHERE position <= ?').run(cursor)
      prepared('UPDATE cursor SET position = ?').run(cursor)
    },
    drop: (beforeMs, nowMs) => deleteBodies(prepared, beforeMs) || keysOn(dayOf(nowMs)).drop(),
    state: () => ({ last, cursor, ahead: ahead.size }),
  }
}

function deleteBodies(prepared: (sql: string) => StatementSync, beforeMs: number): boolean {
  const oldest = 'SELECT position FROM body WHERE position <= (SELECT position FROM cursor) ORDER BY position LIMIT ?'
  const drop = prepared(`DELETE FROM body WHERE position IN (${oldest}) AND appended_at < ?`)
  return Number(drop.run(bodiesPerDeletion, beforeMs).changes) > 0
}
