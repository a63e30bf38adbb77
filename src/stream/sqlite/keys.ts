import type { DatabaseSync } from 'node:sqlite'
import { type Filters, openKnown } from './known.ts'
import { halvesOf, type Key } from './pairs.ts'
import { openRecent } from './recent.ts'

/** More than a body has events. */
const placesPerBody = 512

export const placeOf = (position: number, index: number) => position * placesPerBody + index
export const eventAt = (place: number) => ({
  position: Math.floor(place / placesPerBody),
  index: place % placesPerBody,
})

/** The keys that are known on one day. After a rollback they have to be opened anew. */
export type Keys = {
  /** Takes a key, once: false when it is known already. */
  take(key: bigint, place: number): boolean
  /** Whether a key was taken before; false for 0n, which is no key. */
  has(key: bigint): boolean
  /** Where the event of this key lies. */
  find(key: bigint): number | undefined
  /** Writes down what was taken since the last time. Before that, nothing of it is on disk. */
  write(): void
  /** Drops some of what is not known any more. True while there may be more. */
  drop(): boolean
}

/** `gathered`: how many are held in memory, by default as many as `openRecent` says. */
export function keysOf(db: DatabaseSync, day: number, filters: Filters = new Map(), gathered?: number): Keys {
  const known = openKnown(db, day, filters)
  const recent = openRecent(db, day, known.keep, gathered)
  const placeOfKey = (key: Key) => recent.find(key) ?? known.find(key)
  let added = 0
  return {
    take(key, place) {
      const halves = halvesOf(key)
      if (placeOfKey(halves) !== undefined) return false
      recent.add(halves, place)
      added++
      return true
    },
    has: (key) => key !== 0n && placeOfKey(halvesOf(key)) !== undefined,
    find: (key) => placeOfKey(halvesOf(key)),
    write() {
      recent.write()
      known.merge(added)
      added = 0
    },
    drop: known.drop,
  }
}
