import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { migrate } from '#kit/migrate.ts'
import { openDatabase } from '#kit/sqlite.ts'
import { inspectSqliteStore } from '#store/sqlite/inspectSqliteStore.ts'
import { inspectLogStream } from '#stream/log/inspectLogStream.ts'
import { describeDatabaseSize, describeFreeDisk } from './doctor.ts'

const directory = mkdtempSync(join(tmpdir(), 'aglet-storage-report-'))
after(() => rmSync(directory, { recursive: true, force: true }))
const keepDays = 30
const day = 86_400_000
const now = Date.UTC(2026, 10, 20)

function createDatabase(name: string, folder: 'store/sqlite' | 'stream/log', sql: string): string {
  const path = join(directory, name)
  const db = openDatabase(path)
  const folders = folder === 'store/sqlite' ? ['store/sql', folder] : [folder]
  migrate(db, ...folders.map((each) => new URL(`../../${each}/migrations/`, import.meta.url)))
  db.exec(sql)
  db.close()
  return path
}
const eventAt = (tag: number, position: number, at: number) =>
  `INSERT INTO ref (no, id, code) VALUES (${tag}, 'tag_${tag}', ${tag});
   INSERT INTO event (tag, position, idx, name, user, received_at, consent, place)
   VALUES (${tag}, ${position}, 0, 'Purchase', 'usr_1', ${at}, '{}', '{}');`

test('the report of a store has its size and the age of the oldest event of any tag', () => {
  const path = createDatabase('store.db', 'store/sqlite', eventAt(1, 5, now - day) + eventAt(2, 3, now - 3 * day))
  const report = inspectSqliteStore(path)
  assert.equal(report.oldestEventAt, now - 3 * day)
  assert.match(
    describeDatabaseSize(report, keepDays, now),
    /^[\d.]+ MB, [\d.]+ MB free in it, oldest event 3\.0 days old$/,
  )
  assert.throws(
    () => describeDatabaseSize(report, keepDays, now + 30 * day),
    /oldest event 33\.0 days old: retention is behind/,
  )
})

test('the report of a stream has the age of its oldest body, or says that it has no events', () => {
  const body = `INSERT INTO body VALUES (1, 'tag_1', ${now - 2 * day}, x'01', 1, 0, 0)`
  const full = inspectLogStream(createDatabase('stream.db', 'stream/log', body))
  assert.match(describeDatabaseSize(full, keepDays, now), /oldest event 2\.0 days old$/)
  const empty = inspectLogStream(createDatabase('empty.db', 'stream/log', ''))
  assert.match(describeDatabaseSize(empty, keepDays, now), /no events$/)
})

test('the report of a database has its schema and its reusable space, also before its tables were made', () => {
  const path = join(directory, 'old.db')
  const db = openDatabase(path)
  db.exec('CREATE TABLE filler (x BLOB) STRICT; INSERT INTO filler VALUES (zeroblob(100000)); DROP TABLE filler')
  const { oldestEventAt, schema, bytes, freeBytes } = inspectSqliteStore(path)
  db.close()
  assert.deepEqual([oldestEventAt, schema], [undefined, 0])
  assert.ok(bytes > 0 && freeBytes >= 100_000, `${freeBytes} of ${bytes} bytes free`)
})

test('the report of a database that could lose commits throws', () => {
  const path = createDatabase('delete.db', 'store/sqlite', 'PRAGMA journal_mode = DELETE')
  assert.throws(() => inspectSqliteStore(path), /its journal mode is delete, not wal/)
})

test('the report of a disk has its free space, and is an error when that is too little', () => {
  assert.match(describeFreeDisk(directory, 0), /^[\d.]+ MB free$/)
  assert.throws(() => describeFreeDisk(directory, Number.MAX_SAFE_INTEGER), /free some space/)
})
