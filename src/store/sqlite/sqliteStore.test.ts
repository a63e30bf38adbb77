import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { storeLaws } from '#store/store.suite.ts'
import { openSqliteStore } from './sqliteStore.ts'

storeLaws('SQLite', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'aglet-store-'))
  return {
    open: () => openSqliteStore(join(directory, 'store.db')),
    remove: () => rm(directory, { recursive: true, force: true }),
  }
})

test('an audit row without team, object and IP address is stored', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'aglet-store-'))
  const path = join(directory, 'store.db')
  const store = await openSqliteStore(path)
  await store.write([{ add: 'audit', row: { at: 5, by: 'operator', what: 'createTeam' } }])
  await store.close()
  const database = new DatabaseSync(path, { readOnly: true })
  const rows = database.prepare('SELECT by, what, team, object FROM audit').all()
  database.close()
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [{ by: 'operator', what: 'createTeam', team: null, object: null }],
  )
  await rm(directory, { recursive: true, force: true })
})
