import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyDirectory, migrations } from './sqlite.fixture.ts'
import { openReader } from './sqlite.ts'
import type { WriteUnit } from './writeBatch.ts'
import { openWriter } from './writer.fixture.ts'
import { NotUnique } from './writer.ts'

const schema = `
  CREATE TABLE a (x INTEGER PRIMARY KEY, y INTEGER UNIQUE) STRICT;
  CREATE TABLE filler (x BLOB) STRICT;
  CREATE TABLE child (a INTEGER REFERENCES a (x) DEFERRABLE INITIALLY DEFERRED) STRICT;`

async function openTestDatabase() {
  const directory = emptyDirectory()
  const folder = migrations(schema)
  const path = directory.file('a.db')
  const writer = await openWriter(path, folder.url)
  const reader = openReader(path)
  return {
    writer,
    add: (...rows: number[][]) => writer.write([{ sql: 'INSERT INTO a (x, y) VALUES (?, ?)', rows }]),
    run: (sql: string) => writer.write([{ sql, rows: [[]] }]),
    all: () =>
      reader
        .prepare('SELECT x FROM a ORDER BY x')
        .all()
        .map(({ x }) => x),
    async [Symbol.asyncDispose]() {
      reader.close()
      await writer.close()
      directory[Symbol.dispose]()
      folder[Symbol.dispose]()
    },
  }
}
const statuses = async (writes: Promise<void>[]) => (await Promise.allSettled(writes)).map(({ status }) => status)

test('written rows are readable as soon as the write resolves', async () => {
  await using db = await openTestDatabase()
  await db.add([1, 1], [2, 2])
  assert.deepEqual(db.all(), [1, 2])
})

test('a failed unit is rolled back completely, and the rest of its group is written', async () => {
  await using db = await openTestDatabase()
  const half: WriteUnit = [
    {
      sql: 'INSERT INTO a (x, y) VALUES (?, ?)',
      rows: [
        [2, 2],
        [3, 3],
      ],
    },
    { sql: 'INSERT INTO a (x, y) VALUES (?, ?)', rows: [[4, 1]] },
  ]
  const written = await statuses([db.add([1, 1]), db.writer.write(half), db.add([5, 5])])
  assert.deepEqual(written, ['fulfilled', 'rejected', 'fulfilled'])
  assert.deepEqual(db.all(), [1, 5])
})

test('a violated unique constraint is reported with its columns', async () => {
  await using db = await openTestDatabase()
  await db.add([1, 1])
  await assert.rejects(db.add([2, 1]), (error) => error instanceof NotUnique && error.columns === 'a.y')
  await assert.rejects(db.add([1, 2]), (error) => error instanceof NotUnique && error.columns === 'a.x')
})

test('another failure names the file, and does not quote the data', async () => {
  await using db = await openTestDatabase()
  const wrong = db.writer.write([{ sql: 'INSERT INTO a (x, y) VALUES (?, ?)', rows: [[1, 'geheim']] }])
  await assert.rejects(
    wrong,
    ({ message }: Error) => /a\.db: cannot store TEXT/.test(message) && !message.includes('geheim'),
  )
})

test('a failed commit rejects its whole group, and the next group is written', async () => {
  await using db = await openTestDatabase()
  const orphan = db.writer.write([{ sql: 'INSERT INTO child (a) VALUES (?)', rows: [[99]] }])
  assert.deepEqual(await statuses([db.add([1, 1]), orphan]), ['rejected', 'rejected'])
  assert.deepEqual(db.all(), [])
  await db.add([1, 1])
  assert.deepEqual(db.all(), [1])
})

test('a full disk rejects the writes, and writes succeed once there is room again', async () => {
  await using db = await openTestDatabase()
  await db.run('PRAGMA max_page_count = 30')
  const large = () => db.writer.write([{ sql: 'INSERT INTO filler (x) VALUES (zeroblob(?))', rows: [[200_000]] }])
  const message = /nothing was written to .*a\.db: database or disk is full/
  await assert.rejects(large(), { name: 'DiskProblem', message })
  await db.add([1, 1])
  await assert.rejects(db.add([2, 1]), { name: 'NotUnique' }, 'a violated unique constraint is not a disk problem')
  await db.run('PRAGMA max_page_count = 3000')
  await large()
  assert.deepEqual(db.all(), [1])
})

test('close waits for pending writes', async () => {
  await using db = await openTestDatabase()
  const written = db.add([1, 1])
  await db.writer.close()
  await written
  assert.deepEqual(db.all(), [1])
  await assert.rejects(db.add([2, 2]), /closed/)
})

test('a database of a newer schema is refused', async () => {
  using directory = emptyDirectory()
  using newer = migrations('SELECT 1;', 'SELECT 1;')
  using older = migrations('SELECT 1;')
  const writer = await openWriter(directory.file('a.db'), newer.url)
  await writer.close()
  await assert.rejects(
    openWriter(directory.file('a.db'), older.url),
    /was written by a newer Aglet \(schema 2, this build knows 1\)/,
  )
})
