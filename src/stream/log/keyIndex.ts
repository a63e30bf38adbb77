import type { SearchedSegment } from '#stream/dedup/dedupIndex.ts'
import { mayContain } from '#stream/dedup/fuseFilter.ts'
import { createHashTable, type HashTable } from '#stream/dedup/hashTable.ts'
import { halvesOf, type KeyHalves, type KeyPairs, wordsPerPair } from '#stream/dedup/keyPairs.ts'
import type { Segments } from '#stream/dedup/segments.ts'

/** The keys of one day that are to be written as a segment. */
export type KeysOfDay = { day: number; pairs: KeyPairs }

/**
 * The deduplication keys of the last days: the newest in memory, the others in segments on disk. A key is valid on its
 * day and the seven days after. Keys of later days are also valid, because the clock may have been set back.
 */
export type KeyIndex = ReturnType<typeof openKeyIndex>

const validDays = 7
/** 3 MB in memory. */
const keysPerTable = 65_536
/** The place of a removed key: no event has it, because positions begin at 1. */
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

/** The newest keys, in tables in memory. */
class KeyTables {
  today = 0
  readonly #capacity: number
  /** The first `#rotated` tables take no more keys. */
  #tables: Table[]
  #rotated = 0

  constructor(capacity: number) {
    this.#capacity = capacity
    this.#tables = [this.#tableOf(0)]
  }
  isValid(day: number): boolean {
    return day >= this.today - validDays
  }
  setDay(day: number): void {
    if (day === this.today) return
    this.today = day
    const current = this.#tables.at(-1)!
    if (current.keys.count() === 0) current.day = day
    else this.#tables.push(this.#tableOf(day))
  }
  find(halves: KeyHalves): number | undefined {
    for (let at = this.#tables.length - 1; at >= 0; at--) {
      const { day, keys } = this.#tables[at]!
      const place = this.isValid(day) ? keys.find(halves) : undefined
      if (place) return place
    }
    return undefined
  }
  add(halves: KeyHalves, place: number, day: number): void {
    const { keys } = this.#tableFor(day)
    if (keys.find(halves) === undefined) keys.add(halves, place)
    else keys.replace(halves, place)
  }
  giveBack(halves: KeyHalves): void {
    this.#tables.findLast(({ keys }) => keys.find(halves))?.keys.replace(halves, noPlace)
  }
  isFull(): boolean {
    return this.#tables.length - this.#rotated > 1 || !this.#hasRoom(this.#tables.at(-1)!)
  }
  rotate(): void {
    if (this.#tables.at(-1)!.keys.count() > 0) this.#tables.push(this.#tableOf(this.today))
    this.#rotated = this.#tables.length - 1
  }
  rotated(): Table[] {
    return this.#tables.slice(0, this.#rotated)
  }
  drop(count: number): void {
    this.#tables = this.#tables.slice(count)
    this.#rotated -= count
  }
  #tableOf(day: number): Table {
    return { day, keys: createHashTable(this.#capacity) }
  }
  #hasRoom({ keys }: Table): boolean {
    return keys.count() < this.#capacity
  }
  /** The table for new keys of a day. Days other than today have a table only while a log is read. */
  #tableFor(day: number): Table {
    const current = this.#tables.at(-1)!
    if (current.day === day && this.#hasRoom(current)) return current
    const known = this.#tables.findLast((each, at) => at >= this.#rotated && each.day === day && this.#hasRoom(each))
    if (known) return known
    const added = this.#tableOf(day)
    this.#tables.splice(this.#tables.length - (day === this.today ? 0 : 1), 0, added)
    return added
  }
}

export function openKeyIndex(segments: Pick<Segments, 'find'>, capacity: number = keysPerTable) {
  const tables = new KeyTables(capacity)
  let searched: readonly SearchedSegment[] = []
  return {
    /** Sets the day of keys that are added from now on. */
    setDay: (day: number) => tables.setDay(day),
    /** The place of the event with this key. */
    find(key: bigint): number | undefined {
      const halves = halvesOf(key)
      const newest = tables.find(halves)
      if (newest !== undefined) return newest
      for (const { segment, filter } of searched) {
        if (!tables.isValid(segment.day) || !mayContain(filter, halves)) continue
        const place = segments.find(segment, halves)
        if (place !== undefined) return place
      }
      return undefined
    },
    /** Adds a key, which must be new. `day`: default is the day of `setDay`. */
    add: (key: bigint, place: number, day = tables.today) => tables.add(halvesOf(key), place, day),
    /** Removes keys whose events were not stored. */
    giveBack(keys: readonly bigint[]): void {
      for (const key of keys) tables.giveBack(halvesOf(key))
    },
    /** Whether enough keys for a segment wait for the index. */
    isFull: () => tables.isFull(),
    /** Begins a new table. `takeTables` then returns the earlier ones. */
    rotate: () => tables.rotate(),
    /**
     * The tables from before the last `rotate`, oldest first, without removed keys. They are searched until `setSegments`
     * reports them written.
     */
    takeTables: () => tables.rotated().map(({ day, keys }) => ({ day, pairs: pairsOf(keys) })),
    /** Sets the current segments. `written`: the number of tables, oldest first, whose keys are in the segments. */
    setSegments(next: readonly SearchedSegment[], written: number): void {
      searched = next
      tables.drop(written)
    },
  }
}
