import type { DatabaseSync } from 'node:sqlite'
import { tableOf } from './days.ts'

/**
 * The keys that were taken last. A key is a random number: written into its day's table at once, each would touch a page
 * of its own with every commit. So they are written one behind the other, held in memory, and moved into the table in
 * the order of the keys, where neighbours share a page: some with each commit, so that none takes long.
 */
export type Recent = {
  find(key: bigint): number | undefined
  add(key: bigint, place: number): void
  /** Writes what was added since the last time, and moves some older keys into their table. */
  write(): void
}

type Held = Map<bigint, number>
type Moving = { keys: BigInt64Array; places: Held; next: number; lastRow: number }

/** So many keys are gathered before they are moved. In memory twice as many take some 10 MB. */
const usual = 65_536
/** Moved for each key that is added, and at least with each commit: faster than they come. */
const movedPerAdded = 2
const movedAtLeast = 32

const inOrder = (held: Held) => BigInt64Array.from(held.keys()).sort()

/** Opens the recent keys of one day, and makes its table. What is left of other days moves to their tables at once. */
export function openRecent(db: DatabaseSync, day: number, gathered: number = usual): Recent {
  const intoTable = (into: number) => {
    db.exec(`CREATE TABLE IF NOT EXISTS ${tableOf(into)} (key INTEGER PRIMARY KEY, place INTEGER NOT NULL) STRICT`)
    return db.prepare(`INSERT OR IGNORE INTO ${tableOf(into)} (key, place) VALUES (?, ?)`)
  }
  const insert = intoTable(day)
  const append = db.prepare('INSERT INTO recent (day, pairs) VALUES (?, ?)')
  const forget = db.prepare('DELETE FROM recent WHERE row <= ?')

  for (const other of otherDays(db, day)) {
    const into = intoTable(other)
    const held = heldOf(db, other)
    for (const key of inOrder(held)) into.run(key, held.get(key)!)
    db.prepare('DELETE FROM recent WHERE day = ?').run(other)
  }
  let young = heldOf(db, day)
  let moving: Moving | undefined
  let added: bigint[] = []
  let lastRow = lastRowOf(db)

  const move = (count: number) => {
    if (!moving) return
    const { keys, places } = moving
    const end = Math.min(keys.length, moving.next + count)
    for (; moving.next < end; moving.next++) insert.run(keys[moving.next]!, places.get(keys[moving.next]!)!)
    if (end < keys.length) return
    forget.run(moving.lastRow)
    moving = undefined
  }
  return {
    find: (key) => young.get(key) ?? moving?.places.get(key),
    add(key, place) {
      young.set(key, place)
      added.push(key, BigInt(place))
    },
    write() {
      if (added.length === 0) return
      lastRow = Number(append.run(day, new Uint8Array(BigInt64Array.from(added).buffer)).lastInsertRowid)
      move(Math.max(movedAtLeast, (added.length / 2) * movedPerAdded))
      added = []
      if (moving || young.size < gathered) return
      moving = { keys: inOrder(young), places: young, next: 0, lastRow }
      young = new Map()
    },
  }
}

const otherDays = (db: DatabaseSync, day: number) =>
  db
    .prepare('SELECT DISTINCT day FROM recent WHERE day <> ?')
    .all(day)
    .map((row) => Number(row.day))

const lastRowOf = (db: DatabaseSync) => Number(db.prepare('SELECT max(row) AS last FROM recent').get()?.last ?? 0)

function heldOf(db: DatabaseSync, day: number): Held {
  const held: Held = new Map()
  for (const { pairs } of db.prepare('SELECT pairs FROM recent WHERE day = ? ORDER BY row').iterate(day)) {
    // a copy: what SQLite hands out need not lie on a multiple of 8
    const numbers = new BigInt64Array(new Uint8Array(pairs as Uint8Array).buffer)
    for (let at = 0; at < numbers.length; at += 2) held.set(numbers[at]!, Number(numbers[at + 1]!))
  }
  return held
}
