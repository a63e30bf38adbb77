import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { statements } from '#kit/sqlite.ts'
import { bitsOf } from './bits.ts'
import { dayOf } from './days.ts'
import { type Keys, keysOf, placeOf } from './keys.ts'
import type { Filters } from './known.ts'
import { type Packed, type PackedEntry, unpack } from './pack.ts'
import { type Standing, standingOf } from './standing.ts'

/** What the thread does inside one transaction. After a rollback it has to be made anew. */
export type Bodies = {
  /** Keeps each body of which an event is fresh, and answers in the packed entries. */
  append(entries: Packed, nowMs: number): void
  /** Where the event of this key lies, as `placeOf` says it. */
  find(key: bigint, nowMs: number): number | undefined
  settle(positions: readonly number[]): void
  /** Drops some settled bodies that are older, then some keys of days gone by. True while there may be more to drop. */
  drop(beforeMs: number, nowMs: number): boolean
  standing(): Standing
}

/** Settled bodies dropped in one go: appends wait no longer than these take. */
const droppedAtOnce = 200

export function openBodies(db: DatabaseSync, filters: Filters): Bodies {
  const prepared = statements(db)
  let { last, cursor } = standingOf(db)
  const ahead = new Set(
    prepared('SELECT position FROM settled')
      .all()
      .map(({ position }) => Number(position)),
  )
  let known: { day: number; keys: Keys } | undefined

  const keysOn = (day: number): Keys => {
    if (known?.day !== day) known = { day, keys: keysOf(db, day, filters) }
    return known.keys
  }
  const keep = ({ tagId, keys, others, payload }: PackedEntry, { take, has }: Keys, nowMs: number) => {
    const position = last + 1
    const fresh: boolean[] = []
    for (const [index, key] of keys.entries()) {
      const is = key !== 0n && !has(others[index] ?? 0n) && take(key, placeOf(position, index))
      fresh.push(is)
      keys[index] = is ? 1n : 0n
    }
    if (!fresh.includes(true)) return
    const insert = prepared('INSERT INTO body (position, tag, appended_at, fresh, payload) VALUES (?, ?, ?, ?, ?)')
    insert.run(position, tagId, nowMs, bitsOf(fresh), payload)
    last = position
  }
  return {
    append(entries, nowMs) {
      const keys = keysOn(dayOf(nowMs))
      for (const entry of unpack(entries)) keep(entry, keys, nowMs)
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
    drop: (beforeMs, nowMs) => dropBodies(prepared, beforeMs) || keysOn(dayOf(nowMs)).drop(),
    standing: () => ({ last, cursor, ahead: ahead.size }),
  }
}

function dropBodies(prepared: (sql: string) => StatementSync, beforeMs: number): boolean {
  const oldest = 'SELECT position FROM body WHERE position <= (SELECT position FROM cursor) ORDER BY position LIMIT ?'
  const drop = prepared(`DELETE FROM body WHERE position IN (${oldest}) AND appended_at < ?`)
  return Number(drop.run(droppedAtOnce, beforeMs).changes) > 0
}
