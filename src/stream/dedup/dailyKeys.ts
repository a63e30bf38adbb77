import type { DatabaseSync } from 'node:sqlite'
import { openDedupIndex, type SegmentFilters } from './dedupIndex.ts'
import { halvesOf, type KeyHalves } from './keyPairs.ts'
import { openMemtable } from './memtable.ts'

/** Larger than the number of events in a body (500). */
const slotsPerBody = 512

/** Packs the position of a body and the index of an event in it into one number, the event's place. */
export const packPlace = (position: number, index: number) => position * slotsPerBody + index
export const unpackPlace = (place: number) => ({
  position: Math.floor(place / slotsPerBody),
  index: place % slotsPerBody,
})

/** The deduplication keys that are valid on one day. Must be opened again after a rollback. */
export type DailyKeys = {
  /** Adds a key. False if it is already known. */
  take(key: bigint, place: number): boolean
  /** Whether a key is known; false for 0n, which is no key. */
  has(key: bigint): boolean
  /** The place of the event with this key. */
  find(key: bigint): number | undefined
  /** Writes the keys that were added since the last write. */
  write(): void
  /** Deletes some rows of expired keys. True while there may be more. */
  drop(): boolean
}

/** `capacity`: the number of keys in the memtable, by default that of `openMemtable`. */
export function openDailyKeys(
  db: DatabaseSync,
  day: number,
  filters: SegmentFilters = new Map(),
  capacity?: number,
): DailyKeys {
  const index = openDedupIndex(db, day, filters)
  const memtable = openMemtable(db, day, index.addSegment, capacity)
  const placeOfKey = (key: KeyHalves) => memtable.find(key) ?? index.find(key)
  let added = 0
  return {
    take(key, place) {
      const halves = halvesOf(key)
      if (placeOfKey(halves) !== undefined) return false
      memtable.add(halves, place)
      added++
      return true
    },
    has: (key) => key !== 0n && placeOfKey(halvesOf(key)) !== undefined,
    find: (key) => placeOfKey(halvesOf(key)),
    write() {
      memtable.write()
      index.merge(added)
      added = 0
    },
    drop: index.drop,
  }
}
