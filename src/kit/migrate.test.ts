import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, schemaVersion } from './migrate.ts'
import { emptyDirectory, migrations } from './sqlite.fixture.ts'
import { openDatabase } from './sqlite.ts'

const first = 'CREATE TABLE a (x); INSERT INTO a VALUES (1);'
const second = 'ALTER TABLE a ADD COLUMN y; UPDATE a SET y = x + 1;'

test('a new database is migrated to the schema of this build', () => {
  using directory = emptyDirectory()
  using known = migrations(first, second)
  using db = openDatabase(directory.file('a.db'))
  assert.equal(schemaVersion(db), 0)
  migrate(db, known.url)
  assert.equal(schemaVersion(db), 2)
  assert.deepEqual({ ...db.prepare('SELECT * FROM a').get() }, { x: 1, y: 2 })
})

test('each migration runs once, and keeps the data', () => {
  using directory = emptyDirectory()
  using older = migrations(first)
  using newer = migrations(first, second)
  using db = openDatabase(directory.file('a.db'))
  migrate(db, older.url)
  db.exec('INSERT INTO a VALUES (5)')
  migrate(db, newer.url)
  migrate(db, newer.url)
  assert.deepEqual(
    db
      .prepare('SELECT y FROM a')
      .all()
      .map(({ y }) => y),
    [2, 6],
  )
})

test('a failed migration is rolled back with those before it', () => {
  using directory = emptyDirectory()
  using broken = migrations(first, 'CREATE TABLE b (x); INSERT INTO nowhere VALUES (1);')
  using db = openDatabase(directory.file('a.db'))
  assert.throws(() => migrate(db, broken.url), /nowhere/)
  assert.deepEqual(db.prepare('SELECT name FROM sqlite_schema').all(), [])
})

test('a database whose migrations were replaced before the first release is refused with a message that says what to do', () => {
  using directory = emptyDirectory()
  using known = migrations(first, second)
  using db = openDatabase(directory.file('store.db'))
  migrate(db, known.url)
  db.exec("UPDATE migration SET name = '0001-older.sql' WHERE number = 1")
  assert.throws(() => migrate(db, known.url), /from before the first release \(schema 0001-older\.sql\).*aglet apply/)
})

test('a database of a newer schema is refused with a message that says what to do, and is not changed', () => {
  using directory = emptyDirectory()
  using newer = migrations(first, second, 'SELECT 1;')
  using older = migrations(first, second)
  const path = directory.file('store.db')
  using db = openDatabase(path)
  migrate(db, newer.url)
  assert.throws(() => migrate(db, older.url), {
    message:
      `${path} was written by a newer Aglet (schema 3, this build knows 2). ` +
      'Start that version, or restore a backup.',
  })
  assert.equal(schemaVersion(db), 3)
})
