import type { DatabaseSync } from 'node:sqlite'
import { makeHeld } from './held.ts'
import { bytesOf, eachOf, type Key, type Pairs, wordsOf, wordsPerPair } from './pairs.ts'

/**
 * The keys that were taken last. A key is a random number: written where it belongs at once, each would touch a page of
 * its own with every commit. So they are written one behind the other, held in memory, and once they are many they leave
 * together, as a run.
 */
export type Recent = {
  find(key: Key): number | undefined
  add(key: Key, place: number): void
  /** Writes what was added since the last time. */
  write(): void
}

/** In memory they take 2 MB; to write them as a run takes some 30 ms. */
const usual = 65_536

/** Opens the recent keys of one day. `leave` keeps as a run those that leave; those of other days leave at once. */
export function openRecent(
  db: DatabaseSync,
  day: number,
  leave: (day: number, pairs: Pairs) => void,
  gathered: number = usual,
): Recent {
  const append = db.prepare('INSERT INTO recent (day, pairs) VALUES (?, ?)')
  for (const left of daysLeft(db, day, gathered)) {
    leave(left, loggedOn(db, left))
    db.prepare('DELETE FROM recent WHERE day = ?').run(left)
  }
  const held = makeHeld(gathered)
  for (const { key, place } of eachOf(loggedOn(db, day))) held.add(key, place)
  let written = held.count()

  const leaveTogether = () => {
    leave(day, held.from(0))
    db.exec('DELETE FROM recent')
    held.clear()
    written = 0
  }
  return {
    find: held.find,
    add(key, place) {
      held.add(key, place)
      if (held.count() === gathered) leaveTogether()
    },
    write() {
      if (written === held.count()) return
      append.run(day, bytesOf(held.from(written)))
      written = held.count()
    },
  }
}

/** The days in the log whose keys are to leave it: all but this one, and this one when they are too many to be held. */
function daysLeft(db: DatabaseSync, day: number, gathered: number): number[] {
  const rows = db.prepare('SELECT day, sum(length(pairs)) AS bytes FROM recent GROUP BY day').all()
  const left = rows.filter((row) => row.day !== day || Number(row.bytes) >= gathered * wordsPerPair * 4)
  return left.map((row) => Number(row.day))
}

function loggedOn(db: DatabaseSync, day: number): Pairs {
  const rows = db.prepare('SELECT pairs FROM recent WHERE day = ? ORDER BY row').all(day)
  return wordsOf(Buffer.concat(rows.map(({ pairs }) => pairs as Uint8Array)))
}
