import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { baseChanges, idOf, plannedEvent, script } from '#store/store.fixture.ts'
import { copySqliteStore } from './copySqliteStore.ts'
import { openSqliteStore } from './sqliteStore.ts'

const folder = mkdtempSync(join(tmpdir(), 'aglet-backup-'))
after(() => rmSync(folder, { recursive: true, force: true }))

test('a copy of a store in use contains everything except events that the copied stream does not have', async () => {
  const store = await openSqliteStore(join(folder, 'store.db'))
  await store.write([...baseChanges, { put: 'script', row: script() }])
  await store.journal.plan([plannedEvent(1), plannedEvent(2), plannedEvent(3)])
  const attempt = { deliveryId: idOf(3, 0, 'scr_1'), number: 1, at: 5, durationMs: 7, httpStatus: 200 }
  await store.journal.settle([{ deliveryId: idOf(3, 0, 'scr_1'), status: 'delivered', attempt }])
  await copySqliteStore(join(folder, 'store.db'), join(folder, 'copy.db'), 2)
  assert.equal(
    (await store.queries('team_1').events('tag_1', {}, { limit: 9 })).rows.length,
    3,
    'the store itself keeps them',
  )
  await store.close()

  const copy = await openSqliteStore(join(folder, 'copy.db'))
  assert.deepEqual(await copy.script('scr_1'), script())
  const { rows } = await copy.queries('team_1').events('tag_1', {}, { limit: 9 })
  assert.deepEqual(
    rows.map(({ position }) => position),
    [2, 1],
  )
  assert.equal((await copy.journal.event('tag_1', 2, 0))?.deliveries.length, 2)
  await copy.journal.plan([{ ...plannedEvent(3), eventName: 'AnotherEvent' }])
  assert.equal((await copy.journal.event('tag_1', 3, 0))?.eventName, 'AnotherEvent', 'the position is free again')
  await copy.close()
})
