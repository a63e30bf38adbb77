import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate } from '#kit/migrate.ts'
import { emptyDirectory } from '#kit/sqlite.fixture.ts'
import { openDatabase } from '#kit/sqlite.ts'
import type { StreamEntry } from '#stream/stream.ts'
import { packEntries, readNewFlags } from './entryBuffer.ts'
import { groupCommitter } from './groupCommit.ts'

const entry = (key: bigint, bytes = 10, other?: bigint): StreamEntry => ({
  tagId: 'tag_1',
  keys: [key],
  payload: new Uint8Array(bytes),
  ...(other !== undefined && { others: [other] }),
})

function openTestStream() {
  const directory = emptyDirectory()
  const db = openDatabase(directory.file('stream.db'))
  migrate(db, new URL('./migrations/', import.meta.url))
  const execute = groupCommitter(db)
  return {
    db,
    write(entries: StreamEntry[], settled: number[] = []) {
      const { state, entries: packed } = execute({ nowMs: 0, entries: packEntries(entries), settled })
      return { state, areNew: readNewFlags(packed!, entries).flat() }
    },
    [Symbol.dispose]() {
      db.close()
      directory[Symbol.dispose]()
    },
  }
}

test('a group that fails on a full disk stores no key and no body, and is new when it is sent again', () => {
  using stream = openTestStream()
  stream.write([entry(1n)])
  stream.db.exec('PRAGMA max_page_count = 20')
  assert.throws(() => stream.write([entry(2n), entry(3n, 200_000)]), /full/)
  stream.db.exec('PRAGMA max_page_count = 2000')
  const again = stream.write([entry(1n), entry(2n), entry(3n, 200_000)])
  assert.deepEqual(again, { state: { last: 3, cursor: 0, ahead: 0 }, areNew: [false, true, true] })
})

test('a failed group stores no key of either id space', () => {
  using stream = openTestStream()
  stream.write([entry(1n)])
  stream.db.exec('PRAGMA max_page_count = 20')
  assert.throws(() => stream.write([entry(2n), entry(12n, 200_000, 11n)]), /full/)
  stream.db.exec('PRAGMA max_page_count = 2000')
  assert.deepEqual(stream.write([entry(22n, 10, 12n), entry(32n, 10, 2n), entry(42n, 10, 1n)]).areNew, [
    true,
    true,
    false,
  ])
})

test('a failed group settles nothing', () => {
  using stream = openTestStream()
  stream.write([entry(1n), entry(2n)])
  stream.db.exec('PRAGMA max_page_count = 20')
  assert.throws(() => stream.write([entry(3n, 200_000)], [1]), /full/)
  assert.deepEqual(stream.write([]).state, { last: 2, cursor: 0, ahead: 0 })
})

test('positions have no gaps after duplicates and failures', () => {
  using stream = openTestStream()
  stream.write([entry(1n), entry(1n), entry(2n)])
  stream.db.exec('PRAGMA max_page_count = 20')
  assert.throws(() => stream.write([entry(3n), entry(4n, 200_000)]), /full/)
  stream.db.exec('PRAGMA max_page_count = 2000')
  stream.write([entry(5n)])
  const positions = stream.db
    .prepare('SELECT position FROM body')
    .all()
    .map(({ position }) => position)
  assert.deepEqual(positions, [1, 2, 3])
})

test('the cursor moves over positions that are settled without a gap, and later settled positions are stored until then', () => {
  using stream = openTestStream()
  stream.write([1n, 2n, 3n, 4n].map((key) => entry(key)))
  assert.deepEqual(stream.write([], [2, 3]).state, { last: 4, cursor: 0, ahead: 2 })
  assert.deepEqual(stream.write([], [1]).state, { last: 4, cursor: 3, ahead: 0 })
  assert.deepEqual(stream.db.prepare('SELECT * FROM settled').all(), [])
})
