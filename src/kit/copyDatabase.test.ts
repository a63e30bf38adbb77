import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { copyDatabase } from './copyDatabase.ts'
import { emptyDirectory, migrations } from './sqlite.fixture.ts'
import { openReader } from './sqlite.ts'
import { openWriter } from './writer.fixture.ts'

const schema = 'CREATE TABLE a (x INTEGER PRIMARY KEY, y BLOB) STRICT; CREATE TABLE b (x INTEGER PRIMARY KEY) STRICT;'

test('a database in use is copied as a consistent snapshot, and the writer does not wait', async () => {
  using directory = emptyDirectory()
  using known = migrations(schema)
  const writer = await openWriter(directory.file('a.db'), known.url)
  const pair = (x: number) =>
    writer.write([
      { sql: 'INSERT INTO a (x, y) VALUES (?, ?)', rows: [[x, Buffer.alloc(4_000)]] },
      { sql: 'INSERT INTO b (x) VALUES (?)', rows: [[x]] },
    ])
  for (let x = 0; x < 500; x++) await pair(x)
  let written = 500
  const state = { isCopied: false }
  const writing = (async () => {
    while (!state.isCopied) await pair(written++)
  })()
  const rows = await copyDatabase(directory.file('a.db'), directory.file('copy.db'), (copy) => {
    const { pages } = copy.prepare('SELECT count(*) AS pages FROM a').get() as { pages: number }
    return pages
  })
  state.isCopied = true
  await writing
  assert.ok(rows >= 500 && rows <= written)
  const copy = openReader(directory.file('copy.db'))
  assert.deepEqual({ ...copy.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' })
  const unpaired = 'SELECT count(*) AS n FROM a FULL JOIN b USING (x) WHERE a.x IS NULL OR b.x IS NULL'
  assert.equal(copy.prepare(unpaired).get()?.n, 0)
  copy.close()
  await writer.close()
})

test('an edit changes only the copy, and the copy is one file with a write-ahead log once it is opened', async () => {
  using directory = emptyDirectory()
  using known = migrations(schema)
  const writer = await openWriter(directory.file('a.db'), known.url)
  await writer.write([{ sql: 'INSERT INTO b (x) VALUES (?)', rows: [[1], [2], [3]] }])
  const count = (path: string) => {
    const db = openReader(path)
    const { n } = db.prepare('SELECT count(*) AS n FROM b').get() as { n: number }
    db.close()
    return n
  }
  await copyDatabase(directory.file('a.db'), directory.file('copy.db'), (copy) =>
    copy.exec('DELETE FROM b WHERE x > 1'),
  )
  assert.ok(!existsSync(directory.file('copy.db-wal')))
  assert.deepEqual([count(directory.file('a.db')), count(directory.file('copy.db'))], [3, 1])
  const copy = openReader(directory.file('copy.db'))
  assert.deepEqual({ ...copy.prepare('PRAGMA journal_mode').get() }, { journal_mode: 'wal' })
  copy.close()
  await writer.close()
})

test('the error for a missing database names the file', async () => {
  using directory = emptyDirectory()
  await assert.rejects(
    copyDatabase(directory.file('none.db'), directory.file('copy.db'), () => {}),
    /none\.db cannot be used/,
  )
})
