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
  /** Adds a key, which must be new. `day`: if not that of `setDay`. */
  add(key: bigint, place: number, day?: number): void
  /** Takes keys back whose events were not stored. */
  giveBack(keys: readonly bigint[]): void
  /** Whether as many keys wait for the index as a segment should have. */
  isFull(): boolean
  /** Begins a new table: `takeTables` will return the ones before it. */
  rotate(): void
  /**
   * The tables before the last `rotate`, the oldest first, without the keys that were given back. They are searched until
   * `setSegments` tells that they are written.
   */
  takeTables(): KeysOfDay[]
  /** The segments as they are now. `written`: the number of tables, the oldest first, whose keys are in them. */
  setSegments(segments: readonly SearchedSegment[], written: number): void
}

const validDays = 7
/** 3 MB in memory. */
const keysPerTable = 65_536
/** The place of a key that was given back: no event has it, because positions begin at 1. */
const noPlace = 0

type Table = { day: number; keys: HashTable }

/** The pairs of a table that have a place. */
function pairsOf(table: HashTable): KeyPairs {
  const pairs = table.from(0).slice()
  let end = 0
  for (let at = 0; at < pairs.length; at += wordsPerPair) {
    if (pairs[at + 2] === noPlace && pairs[at + 3] === noPlace) continue
    pairs.copyWithin(end, at, at + wordsPerPair)
    end += wordsPerPair
  }
  return pairs.slice(0, end)
}

export function openKeyIndex(segments: Pick<Segments, 'find'>, capacity: number = keysPerTable): KeyIndex {
  const tableOf = (day: number): Table => ({ day, keys: createHashTable(capacity) })
  let today = 0
  /** The first `rotated` of them take no more keys. */
  let tables: Table[] = [tableOf(today)]
  let rotated = 0
  let searched: readonly SearchedSegment[] = []
  const isValid = (day: number) => day >= today - validDays
  const hasRoom = ({ keys }: Table) => keys.count() < capacity

  /** The table for new keys of a day. Older days have one only while a log is read. */
  function tableFor(day: number): Table {
    const current = tables.at(-1)!
    if (current.day === day && hasRoom(current)) return current
    const known = tables.findLast((table, at) => at >= rotated && table.day === day && hasRoom(table))
    if (known) return known
    const added = tableOf(day)
    tables.splice(day === today ? tables.length : tables.length - 1, 0, added)
    return added
  }
  return {
    setDay(day) {
      if (day === today) return
      today = day
      const current = tables.at(-1)!
      if (current.keys.count() === 0) current.day = day
      else tables.push(tableOf(day))
    },
    find(key) {
      const halves = halvesOf(key)
      for (let at = tables.length - 1; at >= 0; at--) {
        const { day, keys } = tables[at]!
        const place = isValid(day) ? keys.find(halves) : undefined
        if (place) return place
      }
      for (const { segment, filter } of searched) {
        if (!isValid(segment.day) || !mayContain(filter, halves)) continue
        const place = segments.find(segment, halves)
        if (place !== undefined) return place
      }
      return undefined
    },
    add(key, place, day = today) {
      const halves = halvesOf(key)
      const { keys } = tableFor(day)
      if (keys.find(halves) === undefined) keys.add(halves, place)
      else keys.replace(halves, place)
    },
    giveBack(keys) {
      for (const key of keys) {
        const halves = halvesOf(key)
        tables.findLast((table) => table.keys.find(halves))?.keys.replace(halves, noPlace)
      }
    },
    isFull: () => tables.length - rotated > 1 || !hasRoom(tables.at(-1)!),
    rotate() {
      if (tables.at(-1)!.keys.count() > 0) tables.push(tableOf(today))
      rotated = tables.length - 1
    },
    takeTables: () => tables.slice(0, rotated).map(({ day, keys }) => ({ day, pairs: pairsOf(keys) })),
    setSegments(next, written) {
      searched = next
      tables = tables.slice(written)
      rotated -= written
    },
  }
}
