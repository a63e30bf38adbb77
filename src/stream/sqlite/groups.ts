import type { DatabaseSync } from 'node:sqlite'
import { transact } from '#kit/sqlite.ts'
import { type Bodies, openBodies } from './bodies.ts'
import type { Filters } from './known.ts'
import type { Packed } from './pack.ts'
import type { Standing } from './standing.ts'

/** A group of appends and settled positions, written in one commit; a request to drop what is old, to find a key, or to rewrite a body. */
export type Ask = { nowMs: number } & (
  | { entries: Packed; settled: readonly number[] }
  | { dropBeforeMs: number }
  | { drop: readonly number[] }
  | { find: bigint }
  | { rewrite: number; payload: Uint8Array }
)
/** `more`: there may be more to drop. `place`: where the event of the key lies. */
export type Answer = { standing: Standing; entries?: Packed; more?: boolean; place?: number | undefined }

function write(db: DatabaseSync, bodies: Bodies, ask: Ask): Omit<Answer, 'standing'> {
  if ('find' in ask) return { place: bodies.find(ask.find, ask.nowMs) }
  if ('rewrite' in ask) return rewrite(db, ask)
  if ('drop' in ask) return drop(db, ask.drop)
  if ('dropBeforeMs' in ask) return { more: bodies.drop(ask.dropBeforeMs, ask.nowMs) }
  bodies.append(ask.entries, ask.nowMs)
  bodies.settle(ask.settled)
  return { entries: ask.entries }
}

function drop(db: DatabaseSync, positions: readonly number[]): Omit<Answer, 'standing'> {
  db.prepare('DELETE FROM body WHERE position IN (SELECT value FROM json_each(?))').run(JSON.stringify(positions))
  return {}
}

function rewrite(db: DatabaseSync, { rewrite, payload }: Extract<Ask, { rewrite: number }>): Omit<Answer, 'standing'> {
  db.prepare('UPDATE body SET payload = ? WHERE position = ?').run(payload, rewrite)
  return {}
}

/** Answers when what was asked is on disk. When it throws, nothing of it was written, and the next may be asked. */
export function writingGroups(db: DatabaseSync): (ask: Ask) => Answer {
  const filters: Filters = new Map()
  let known: Bodies | undefined
  return (ask) => {
    const bodies = known ?? openBodies(db, filters)
    // What is remembered holds again once this is committed.
    known = undefined
    const answer = transact(db, () => write(db, bodies, ask))
    known = bodies
    return { standing: bodies.standing(), ...answer }
  }
}
