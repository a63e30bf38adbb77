import type { DatabaseSync } from 'node:sqlite'
import { transact } from '#kit/sqlite.ts'
import { type Bodies, dropSome, openBodies } from './bodies.ts'
import type { Packed } from './pack.ts'
import type { Standing } from './standing.ts'

/** A group of appends and settled positions, written in one commit; or a request to drop what is old. */
export type Ask = { nowMs: number } & ({ entries: Packed; settled: readonly number[] } | { dropBeforeMs: number })
/** `more`: there may be more to drop. */
export type Answer = { standing: Standing; entries?: Packed; more?: boolean }

function write(db: DatabaseSync, bodies: Bodies, ask: Ask): Omit<Answer, 'standing'> {
  if ('dropBeforeMs' in ask) return { more: dropSome(db, ask.dropBeforeMs, ask.nowMs) }
  bodies.append(ask.entries, ask.nowMs)
  bodies.settle(ask.settled)
  return { entries: ask.entries }
}

/** Answers when what was asked is on disk. When it throws, nothing of it was written, and the next may be asked. */
export function writingGroups(db: DatabaseSync): (ask: Ask) => Answer {
  let known: Bodies | undefined
  return (ask) => {
    const bodies = known ?? openBodies(db)
    // What is remembered holds again once this is committed, and for as long as no table of keys is dropped.
    known = undefined
    const answer = transact(db, () => write(db, bodies, ask))
    if (answer.entries) known = bodies
    return { standing: bodies.standing(), ...answer }
  }
}
