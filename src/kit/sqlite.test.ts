import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { emptyDirectory } from './sqlite.fixture.ts'
import { assertDurable, openDatabase, openReader, preparedStatements, transact } from './sqlite.ts'

test('a database is opened with a write-ahead log and every commit synced', () => {
  using directory = emptyDirectory()
  using db = openDatabase(directory.file('a.db'))
  assert.equal(db.prepare('PRAGMA journal_mode').get()?.journal_mode, 'wal')
  assert.equal(db.prepare('PRAGMA synchronous').get()?.synchronous, 2)
  assert.equal(db.prepare('PRAGMA foreign_keys').get()?.foreign_keys, 1)
  assertDurable(db)
})

test('a connection that could lose confirmed writes is refused', () => {
  using directory = emptyDirectory()
  using db = openDatabase(directory.file('a.db'))
  db.exec('PRAGMA synchronous = NORMAL')
  assert.throws(() => assertDurable(db), /set to synchronous=1 and not to 2: it could lose confirmed writes/)
  db.exec('PRAGMA synchronous = FULL; PRAGMA journal_mode = DELETE')
  assert.throws(() => assertDurable(db), /journal_mode=delete/)
})

test('the errors for a file that is no database and for a missing directory name the path', () => {
  using directory = emptyDirectory()
  const noDatabase = directory.file('notes.txt')
  writeFileSync(noDatabase, 'this is a text of some length, and no database at all. '.repeat(40))
  assert.throws(() => openDatabase(noDatabase), /notes\.txt cannot be used: file is not a database/)
  assert.throws(() => openDatabase(directory.file('none/a.db')), /none\/a\.db cannot be used: unable to open/)
  assert.throws(() => openReader(directory.file('none.db')), /none\.db cannot be used/)
})

test('the error for a write-ahead log that cannot be opened names the database, and says what to check', () => {
  using directory = emptyDirectory()
  const path = directory.file('a.db')
  openDatabase(path).close()
  mkdirSync(`${path}-wal`)
  const named = /a\.db cannot be used: unable to open database file\. Check that the disk is mounted .+ -wal and -shm/
  assert.throws(() => openReader(path), named)
  assert.throws(() => openDatabase(path), named)
})

test('a reader opens what a killed writer has left, before any writer does: a log with and without its index', () => {
  using directory = emptyDirectory()
  const [path, copied] = [directory.file('a.db'), directory.file('b.db')]
  using db = openDatabase(path)
  db.exec('CREATE TABLE a (x)')
  for (const suffixes of [['-wal'], ['-wal', '-shm'], ['-wal']]) {
    for (const suffix of ['', ...suffixes]) copyFileSync(path + suffix, copied + suffix)
    using reader = openReader(copied)
    assert.equal(reader.prepare('SELECT count(*) AS n FROM a').get()?.n, 0)
  }
})

test('a reader sees committed data and cannot write', () => {
  using directory = emptyDirectory()
  const path = directory.file('a.db')
  using db = openDatabase(path)
  db.exec('CREATE TABLE a (x)')
  using reader = openReader(path)
  const count = preparedStatements(reader)('SELECT count(*) AS n FROM a')
  db.exec('BEGIN; INSERT INTO a VALUES (1)')
  assert.equal(count.get()?.n, 0)
  db.exec('COMMIT')
  assert.equal(count.get()?.n, 1)
  assert.throws(() => reader.exec('INSERT INTO a VALUES (2)'), /readonly/)
})

test('a statement is prepared once', () => {
  using directory = emptyDirectory()
  using db = openDatabase(directory.file('a.db'))
  const prepared = preparedStatements(db)
  assert.equal(prepared('SELECT 1'), prepared('SELECT 1'))
})

test('work that throws is rolled back, and the next transaction works', () => {
  using directory = emptyDirectory()
  using db = openDatabase(directory.file('a.db'))
  db.exec('CREATE TABLE a (x)')
  const broken = () => {
    db.exec('INSERT INTO a VALUES (1)')
    throw new Error('half way')
  }
  assert.throws(() => transact(db, broken), /half way/)
  assert.equal(
    transact(db, () => db.prepare('SELECT count(*) AS n FROM a').get()?.n),
    0,
  )
})

test('an open reader does not prevent a checkpoint of the WAL', () => {
  using directory = emptyDirectory()
  const path = directory.file('a.db')
  using db = openDatabase(path, { checkpointPages: 10 })
  db.exec('CREATE TABLE a (x)')
  using reader = openReader(path)
  const count = preparedStatements(reader)('SELECT count(*) AS n FROM a')
  for (let n = 1; n <= 200; n++) {
    db.prepare('INSERT INTO a VALUES (zeroblob(9000))').run()
    assert.equal(count.get()?.n, n)
  }
  const log = db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() as { log: number; checkpointed: number }
  assert.ok(log.log < 50, `the log has ${log.log} pages`)
})
