import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { plannedEvent } from '#store/store.fixture.ts'
import { openSqliteStore } from '../sqliteStore.ts'

const folder = mkdtempSync(join(tmpdir(), 'aglet-writer-'))
const store = await openSqliteStore(join(folder, 'store.db'))
after(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const turns = async (count: number) => {
  for (let n = 0; n < count; n++) await new Promise(setImmediate)
}

test('a record is seen by the next reading, whenever it came during an earlier one', async () => {
  const { journal } = store
  for (let n = 0; n < 40; n++) {
    const [first, second] = [2 * n + 1, 2 * n + 2]
    const planning = journal.plan([plannedEvent(first)])
    const reading = journal.event('tag_1', first, 0)
    await turns(n % 10) // the first record is being written
    await journal.plan([plannedEvent(second)])
    assert.ok(await journal.event('tag_1', second, 0), `after ${n % 10} turns`)
    await planning
    assert.ok(await reading)
  }
})
