import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyDirectory, migrations } from './sqlite.fixture.ts'
import { openReader } from './sqlite.ts'
import type { Unit } from './units.ts'
import { NotUnique, openWriter } from './writer.ts'

const schema = `
  CREATE TABLE a (x INTEGER PRIMARY KEY, y INTEGER UNIQUE) STRICT;
  CREATE TABLE filler (x BLOB) STRICT;
  CREATE TABLE child (a INTEGER REFERENCES a (x) DEFERRABLE INITIALLY DEFERRED) STRICT;`

async function opened() {
  const directory = emptyDirectory()
  const known = migrations(schema)
  const path = directory.file('a.db')
  const writer = await openWriter(path, known.url)
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
      known[Symbol.dispose]()
    },
  }
}
const statuses = async (writes: Promise<void>[]) => (await Promise.allSettled(writes)).map(({ status }) => status)

test('what was written can be read as soon as the write resolves', async () => {
  await using on = await opened()
  await on.add([1, 1], [2, 2])
  assert.deepEqual(on.all(), [1, 2])
})

test('a unit that fails is undone whole and alone: the rest of its group is written', async () => {
  await using on = await opened()
  const half: Unit = [
    {
      sql: 'INSERT INTO a (x, y) VALUES (?, ?)',
      rows: [
        [2, 2],
        [3, 3],
      ],
    },
    { sql: 'INSERT INTO a (x, y) VALUES (?, ?)', rows: [[4, 1]] },
  ]
  const written = await statuses([on.add([1, 1]), on.writer.write(half), on.add([5, 5])])
  assert.deepEqual(written, ['fulfilled', 'rejected', 'fulfilled'])
  assert.deepEqual(on.all(), [1, 5])
})

test('a row that is there already is named by its columns', async () => {
  await using on = await opened()
  await on.add([1, 1])
  await assert.rejects(on.add([2, 1]), (error) => error instanceof NotUnique && error.columns === 'a.y')
  await assert.rejects(on.add([1, 2]), (error) => error instanceof NotUnique && error.columns === 'a.x')
})

test('a failure that is no conflict says which file it was, and not what was to be written', async () => {
  await using on = await opened()
  const wrong = on.writer.write([{ sql: 'INSERT INTO a (x, y) VALUES (?, ?)', rows: [[1, 'geheim']] }])
  await assert.rejects(
    wrong,
    ({ message }: Error) => /a\.db: cannot store TEXT/.test(message) && !message.includes('geheim'),
  )
})

test('a commit that fails takes its whole group with it, and the next group is written', async () => {
  await using on = await opened()
  const orphan = on.writer.write([{ sql: 'INSERT INTO child (a) VALUES (?)', rows: [[99]] }])
  assert.deepEqual(await statuses([on.add([1, 1]), orphan]), ['rejected', 'rejected'])
  assert.deepEqual(on.all(), [])
  await on.add([1, 1])
  assert.deepEqual(on.all(), [1])
})

test('a full disk is told to all who wait, and once there is room again it is written to', async () => {
  await using on = await opened()
  await on.run('PRAGMA max_page_count = 30')
  const large = () => on.writer.write([{ sql: 'INSERT INTO filler (x) VALUES (zeroblob(?))', rows: [[200_000]] }])
  const message = /nothing of this was written to .*a\.db: database or disk is full/
  await assert.rejects(large(), { name: 'DiskProblem', message })
  await on.add([1, 1])
  await assert.rejects(on.add([2, 1]), { name: 'NotUnique' }, 'a row that is there already is no problem of the disk')
  await on.run('PRAGMA max_page_count = 3000')
  await large()
  assert.deepEqual(on.all(), [1])
})

test('closing writes what was asked before', async () => {
  await using on = await opened()
  const written = on.add([1, 1])
  await on.writer.close()
  await written
  assert.deepEqual(on.all(), [1])
  await assert.rejects(on.add([2, 2]), /closed/)
})

test('a file of a newer schema is refused', async () => {
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
