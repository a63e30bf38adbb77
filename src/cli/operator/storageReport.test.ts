import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { migrate } from '#kit/migrate.ts'
import { openDatabase } from '#kit/sqlite.ts'
import { describeDatabaseSize, describeFreeDisk } from './storageReport.ts'

const directory = mkdtempSync(join(tmpdir(), 'aglet-room-'))
after(() => rmSync(directory, { recursive: true, force: true }))
const settings = { keepEventsDays: 7, keepFailuresDays: 30, keepJournalDays: 14 }
const day = 86_400_000
const now = Date.UTC(2026, 10, 20)

function createDatabase(name: string, folder: 'store' | 'stream', sql: string): string {
  const path = join(directory, name)
  const db = openDatabase(path)
  migrate(db, new URL(`../../${folder}/sqlite/migrations/`, import.meta.url))
  db.exec(sql)
  db.close()
  return path
}
const eventAt = (tag: number, position: number, at: number) =>
  `INSERT INTO ref (no, id) VALUES (${tag}, 'tag_${tag}');
   INSERT INTO event (tag, position, idx, name, user, received_at, consent, place)
   VALUES (${tag}, ${position}, 0, 'Purchase', 'usr_1', ${at}, '{}', '{}');`

test('the report of a journal has its size and the age of the oldest event of any tag', () => {
  const path = createDatabase('store.db', 'store', eventAt(1, 5, now - day) + eventAt(2, 3, now - 3 * day))
  assert.match(
    describeDatabaseSize(path, settings, now),
    /^[\d.]+ MB, [\d.]+ MB free in it, oldest event 3\.0 days old$/,
  )
  assert.throws(
    () => describeDatabaseSize(path, settings, now + 30 * day),
    /oldest event 33\.0 days old: retention lags/,
  )
})

test('the report of a stream has the age of its oldest body, or says that it has no events', () => {
  const body = `INSERT INTO body (position, tag, appended_at, fresh, payload) VALUES (1, 'tag_1', ${now - 2 * day}, x'01', x'00')`
  assert.match(
    describeDatabaseSize(createDatabase('stream.db', 'stream', body), settings, now),
    /oldest event 2\.0 days old$/,
  )
  assert.match(describeDatabaseSize(createDatabase('empty.db', 'stream', ''), settings, now), /no events$/)
})

test('the report of a disk has its free space, and is an error when that is too little', () => {
  assert.match(describeFreeDisk(directory, 0), /^[\d.]+ MB free$/)
  assert.throws(() => describeFreeDisk(directory, Number.MAX_SAFE_INTEGER), /free some space/)
})
