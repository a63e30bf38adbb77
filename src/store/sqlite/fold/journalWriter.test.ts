import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { at, idOf, plannedEvent } from '#store/store.fixture.ts'
import { openSqliteStore } from '../sqliteStore.ts'
import { foldAfterMs, openJournalWriter } from './journalWriter.ts'

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

test('counts are written without the rows of earlier records', async () => {
  const { journal } = store
  const before = await journal.pendingCount()
  await journal.plan([plannedEvent(1_000)])
  const minute = Math.floor(at / 60_000) * 60_000
  const counts = [{ tagId: 'tag_1', at: minute, code: 'accepted' as const, count: 3 }]
  const batch = { counts, latencies: [], refusals: [], seen: [], repeats: [], matches: [] }
  await store.write([{ add: 'intake', batch }])
  await store.write([{ add: 'refusedCalls', rows: [{ tagId: 'tag_1', at: minute, of: 'team', calls: 2 }] }])
  assert.equal(await journal.pendingCount(foldAfterMs), before)
  assert.equal(await journal.pendingCount(), before + 2)
  const range = { from: minute, to: minute + 60_000, step: 'minute' as const }
  const { refusedCalls } = await store.queries('team_1').stats('tag_1', range)
  assert.deepEqual(refusedCalls, { total: 2, ofTeam: 2, ofTag: 0 })
})

test('the log is small again after each fold, however much was written', async () => {
  const log = join(folder, 'large.log')
  const writer = await openJournalWriter(join(folder, 'large.db'), log, 0)
  const bytesOfLog = () => readdirSync(log).reduce((sum, name) => sum + statSync(join(log, name)).size, 0)
  let position = 0
  /** Writes sealed bodies, which cannot be compressed further. */
  const write = async (mebibytes: number) => {
    position++
    const deliveryId = idOf(position, 0, 'scr_1')
    const packs = Array.from({ length: mebibytes }, () => ({
      ...{ tagId: 'tag_1', failed: false, at, sealed: new Uint8Array(1024 ** 2) },
    }))
    await writer.record({ plan: [plannedEvent(position)] })
    await writer.record({ settle: [{ deliveryId, status: 'delivered' }], packs })
  }
  await write(9)
  assert.ok(bytesOfLog() > 9 * 1024 ** 2)
  await writer.fold()
  await write(1) // begins a new segment
  await writer.fold()
  assert.ok(bytesOfLog() < 2 * 1024 ** 2, `${bytesOfLog()} bytes`)
  await writer.close()
})
