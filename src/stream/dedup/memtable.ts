import type { DatabaseSync } from 'node:sqlite'
import { createHashTable } from './hashTable.ts'
import { bytesOf, eachOf, type KeyHalves, type KeyPairs, wordsOf, wordsPerPair } from './keyPairs.ts'

/**
 * The newest keys, as in an LSM tree. Keys are random, so that inserting each in key order would touch one page for
 * each key in every commit. Instead keys are appended to a log (table `recent`) and held in memory. A full memtable is
 * flushed as a segment.
 */
export type Memtable = {
  find(key: KeyHalves): number | undefined
  add(key: KeyHalves, place: number): void
  /** Appends the keys that were added since the last write to the log. */
  write(): void
}

/** 2 MB in memory. Flushing them as a segment takes about 30 ms. */
const defaultCapacity = 65_536

/**
 * Opens the memtable of one day from its log. `addSegment` stores a flushed segment. Logs of other days are flushed at
 * once.
 */
export function openMemtable(
  db: DatabaseSync,
  day: number,
  addSegment: (day: number, pairs: KeyPairs) => void,
  capacity: number = defaultCapacity,
): Memtable {
  const append = db.prepare('INSERT INTO recent (day, pairs) VALUES (?, ?)')
  for (const flushed of daysToFlush(db, day, capacity)) {
    addSegment(flushed, readLog(db, flushed))
    db.prepare('DELETE FROM recent WHERE day = ?').run(flushed)
  }
  const table = createHashTable(capacity)
  for (const { key, place } of eachOf(readLog(db, day))) table.add(key, place)
  let written = table.count()

  const flush = () => {
    addSegment(day, table.from(0))
    db.exec('DELETE FROM recent')
    table.clear()
    written = 0
  }
  return {
    find: table.find,
    add(key, place) {
      table.add(key, place)
      if (table.count() === capacity) flush()
    },
    write() {
      if (written === table.count()) return
      append.run(day, bytesOf(table.from(written)))
      written = table.count()
    },
  }
}

/** The days whose log must be flushed: all others, and this one if its keys exceed the capacity. */
function daysToFlush(db: DatabaseSync, day: number, capacity: number): number[] {
  const rows = db.prepare('SELECT day, sum(length(pairs)) AS bytes FROM recent GROUP BY day').all()
  const flushed = rows.filter((row) => row.day !== day || Number(row.bytes) >= capacity * wordsPerPair * 4)
  return flushed.map((row) => Number(row.day))
}

function readLog(db: DatabaseSync, day: number): KeyPairs {
  const rows = db.prepare('SELECT pairs FROM recent WHERE day = ? ORDER BY row').all(day)
  return wordsOf(Buffer.concat(rows.map(({ pairs }) => pairs as Uint8Array)))
}
