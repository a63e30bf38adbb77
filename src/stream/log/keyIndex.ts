import type { SearchedSegment } from '#stream/dedup/dedupIndex.ts'
import { mayContain } from '#stream/dedup/fuseFilter.ts'
import { createHashTable, type HashTable } from '#stream/dedup/hashTable.ts'
import { halvesOf, type KeyPairs, wordsPerPair } from '#stream/dedup/keyPairs.ts'
import type { Segments } from '#stream/dedup/segments.ts'

/** The keys of one day, to be written as a segment. */
export type KeysOfDay = { day: number; pairs: KeyPairs }

/**
 * The deduplication keys of the last days: the newest in memory, the others in segments, of which the index tells. A key is
 * valid on its day and the seven days after; keys of later days are valid too, because the clock may have been set back.
 */
export type KeyIndex = {
  /** Keys that are added from now on are of this day. */
  setDay(day: number): void
  /** The place of the event with this key. */
  find(key: bigint): number | undefined
  /** Adds a key, which must be new. */
  add(key: bigint, place: number): void
  /** Takes keys back whose events were not stored. */
  giveBack(keys: readonly bigint[]): void
  /** Whether as many keys are in memory as a segment should have. */
  isFull(): boolean
  /** Begins a new table, and returns those before it. They are searched until `setSegments` tells that they are written. */
  rotate(): KeysOfDay[]
  /** The segments as they are now. `written`: the number of tables, the oldest first, whose keys are in them. */
  setSegments(segments: readonly SearchedSegment[], written: number): void
}

const validDays = 7
/** 2 MB in memory. A body has at most 500 keys more. */
const keysPerTable = 65_536
const capacity = keysPerTable + 512

type Table = { day: number; table: HashTable }

/** The pairs of a table, without the keys that were given back. */
function pairsWithout(givenBack: ReadonlySet<bigint>, table: HashTable): KeyPairs {
  const all = table.from(0)
  if (givenBack.size === 0) return all.slice()
  const kept: number[] = []
  for (let at = 0; at < all.length; at += wordsPerPair) {
    const key = (BigInt(all[at + 1]!) << 32n) | BigInt(all[at]!)
    if (!givenBack.has(key)) kept.push(...all.subarray(at, at + wordsPerPair))
  }
  return Uint32Array.from(kept)
}

export function openKeyIndex(segments: Pick<Segments, 'find'>, keysOfTable: number = keysPerTable): KeyIndex {
  let today = 0
  let tables: Table[] = [{ day: today, table: createHashTable(capacity) }]
  let searched: readonly SearchedSegment[] = []
  const givenBack = new Set<bigint>()
  const isValid = (day: number) => day >= today - validDays
  const current = () => tables.at(-1)!

  function rotate(): void {
    if (current().table.count() > 0) tables.push({ day: today, table: createHashTable(capacity) })
    else current().day = today
  }
  return {
    setDay(day) {
      if (day === today) return
      today = day
      rotate()
    },
    find(key) {
      if (givenBack.size > 0 && givenBack.has(BigInt.asUintN(64, key))) return undefined
      const halves = halvesOf(key)
      for (let at = tables.length - 1; at >= 0; at--) {
        const { day, table } = tables[at]!
        const place = isValid(day) ? table.find(halves) : undefined
        if (place !== undefined) return place
      }
      for (const { segment, filter } of searched) {
        if (!isValid(segment.day) || !mayContain(filter, halves)) continue
        const place = segments.find(segment, halves)
        if (place !== undefined) return place
      }
      return undefined
    },
    add(key, place) {
      const unsigned = BigInt.asUintN(64, key)
      if (givenBack.delete(unsigned)) {
        const halves = halvesOf(key)
        const owner = tables.find(({ table }) => table.find(halves) !== undefined)
        if (owner) return owner.table.replace(halves, place)
      }
      current().table.add(halvesOf(key), place)
    },
    giveBack(keys) {
      for (const key of keys) givenBack.add(BigInt.asUintN(64, key))
    },
    isFull: () => current().table.count() >= keysOfTable,
    rotate() {
      rotate()
      return tables.slice(0, -1).map(({ day, table }) => ({ day, pairs: pairsWithout(givenBack, table) }))
    },
    setSegments(next, written) {
      searched = next
      tables = tables.slice(written)
    },
  }
}
