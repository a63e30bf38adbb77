import type { DatabaseSync } from 'node:sqlite'
import { daysOf, tableOf } from './days.ts'
import { openRecent } from './recent.ts'

/** A key is known on its day and the seven days after. */
const daysKnown = 7
/** More than a body has events. */
const placesPerBody = 512

export const placeOf = (position: number, index: number) => position * placesPerBody + index
export const eventAt = (place: number) => ({
  position: Math.floor(place / placesPerBody),
  index: place % placesPerBody,
})

const holdsKeys = (db: DatabaseSync) => (day: number) =>
  db.prepare(`SELECT 1 FROM ${tableOf(day)} LIMIT 1`).get() !== undefined

/** Says where a key lies in the tables of these days, the first that has it. */
function lookUp(db: DatabaseSync, days: readonly number[]): (key: bigint) => number | undefined {
  if (days.length === 0) return () => undefined
  const each = days.map((day) => `SELECT place FROM ${tableOf(day)} WHERE key = ?1`)
  const find = db.prepare(`${each.join(' UNION ALL ')} LIMIT 1`)
  return (key) => (find.get(key) as { place: number } | undefined)?.place
}

/** The keys that are known on one day. */
export type Keys = {
  /** Takes a key, once: false when it is known already. */
  take(key: bigint, place: number): boolean
  /** Where the event of this key lies. */
  find(key: bigint): number | undefined
  /** Writes down what was taken since the last time. Before that, nothing of it is on disk. */
  write(): void
}

/** Days that lie ahead count as known as well: the clock may have been set back. */
export function keysOf(db: DatabaseSync, day: number): Keys {
  const recent = openRecent(db, day)
  const older = daysOf(db)
    .filter((each) => each !== day && each >= day - daysKnown)
    .filter(holdsKeys(db))
  const settled = lookUp(db, [day, ...older])
  const find = (key: bigint) => recent.find(key) ?? settled(key)
  return {
    take(key, place) {
      if (find(key) !== undefined) return false
      recent.add(key, place)
      return true
    },
    find,
    write: recent.write,
  }
}

/** Drops the days whose keys are no longer known on this day. */
export function dropKeys(db: DatabaseSync, day: number): void {
  for (const each of daysOf(db)) if (each < day - daysKnown) db.exec(`DROP TABLE ${tableOf(each)}`)
}
