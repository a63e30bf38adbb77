import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate } from '#kit/migrate.ts'
import { emptyDirectory } from '#kit/sqlite.fixture.ts'
import { openDatabase } from '#kit/sqlite.ts'
import type { Entry } from '#stream/stream.ts'
import { writingGroups } from './groups.ts'
import { answersOf, pack } from './pack.ts'

const entry = (key: bigint, bytes = 10, other?: bigint): Entry => ({
  tagId: 'tag_1',
  keys: [key],
  payload: new Uint8Array(bytes),
  ...(other !== undefined && { others: [other] }),
})

function opened() {
  const directory = emptyDirectory()
  const db = openDatabase(directory.file('stream.db'))
  migrate(db, new URL('./migrations/', import.meta.url))
  const ask = writingGroups(db)
  return {
    db,
    write(entries: Entry[], settled: number[] = []) {
      const { standing, entries: packed } = ask({ nowMs: 0, entries: pack(entries), settled })
      return { standing, fresh: answersOf(packed!, entries).flat() }
    },
    [Symbol.dispose]() {
      db.close()
      directory[Symbol.dispose]()
    },
  }
}

test('a group that finds the disk full takes no keys and leaves no body: sent again it is fresh', () => {
  using on = opened()
  on.write([entry(1n)])
  on.db.exec('PRAGMA max_page_count = 20')
  assert.throws(() => on.write([entry(2n), entry(3n, 200_000)]), /full/)
  on.db.exec('PRAGMA max_page_count = 2000')
  const again = on.write([entry(1n), entry(2n), entry(3n, 200_000)])
  assert.deepEqual(again, { standing: { last: 3, cursor: 0, ahead: 0 }, fresh: [false, true, true] })
})

test('a group that fails takes no key of any space: what it held decides nothing afterwards', () => {
  using on = opened()
  on.write([entry(1n)])
  on.db.exec('PRAGMA max_page_count = 20')
  assert.throws(() => on.write([entry(2n), entry(12n, 200_000, 11n)]), /full/)
  on.db.exec('PRAGMA max_page_count = 2000')
  assert.deepEqual(on.write([entry(22n, 10, 12n), entry(32n, 10, 2n), entry(42n, 10, 1n)]).fresh, [true, true, false])
})

test('a group that fails settles nothing', () => {
  using on = opened()
  on.write([entry(1n), entry(2n)])
  on.db.exec('PRAGMA max_page_count = 20')
  assert.throws(() => on.write([entry(3n, 200_000)], [1]), /full/)
  assert.deepEqual(on.write([]).standing, { last: 2, cursor: 0, ahead: 0 })
})

test('positions have no gaps, whatever was a repeat or failed', () => {
  using on = opened()
  on.write([entry(1n), entry(1n), entry(2n)])
  on.db.exec('PRAGMA max_page_count = 20')
  assert.throws(() => on.write([entry(3n), entry(4n, 200_000)]), /full/)
  on.db.exec('PRAGMA max_page_count = 2000')
  on.write([entry(5n)])
  const positions = on.db
    .prepare('SELECT position FROM body')
    .all()
    .map(({ position }) => position)
  assert.deepEqual(positions, [1, 2, 3])
})

test('the cursor moves over what is settled without a gap, and what lies beyond it is remembered until then', () => {
  using on = opened()
  on.write([1n, 2n, 3n, 4n].map((key) => entry(key)))
  assert.deepEqual(on.write([], [2, 3]).standing, { last: 4, cursor: 0, ahead: 2 })
  assert.deepEqual(on.write([], [1]).standing, { last: 4, cursor: 3, ahead: 0 })
  assert.deepEqual(on.db.prepare('SELECT * FROM settled').all(), [])
})
