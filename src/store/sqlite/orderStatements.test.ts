import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import type { WrittenOrder } from '#store/orders.ts'
import { at, plannedEvent } from '#store/store.fixture.ts'
import type { StoreChange } from '#store/store.ts'
import { changeStatements } from './changeStatements.ts'
import { openSqliteStore } from './sqliteStore.ts'

const folder = mkdtempSync(join(tmpdir(), 'aglet-order-statements-'))
after(() => rmSync(folder, { recursive: true, force: true }))

test('an order finds its purchases in every bucket of events, without a search of the tag', async () => {
  const path = join(folder, 'store.db')
  const store = await openSqliteStore(path)
  const events = 40_000
  for (let first = 0; first < events; first += 5_000)
    await store.journal.plan(
      Array.from({ length: 5_000 }, (_, n) => {
        const position = first + n + 1
        const isTheirs = position % 10_000 === 0
        const ids = isTheirs && position % 20_000 === 0 ? { hash: 'none', eventHash: 'theirs' } : { hash: 'theirs' }
        const purchase = { ...(isTheirs ? ids : { hash: `other-${position}` }), isFromBrowser: true }
        return plannedEvent(position, { deliveries: [], ...(position % 100 === 0 && { purchase }) })
      }),
    )
  const ids = { tagId: 'tag_1', id: '1', orderId: '#1', aliases: [], hashes: ['theirs'] }
  const order: WrittenOrder = { ...ids, placedAt: at, updatedAt: at, status: 'paid' }
  const change: StoreChange = { put: 'orders', tagId: 'tag_1', rows: [order] }
  await store.write([change])
  const [found] = await store.queries('team_1').ordersById('tag_1', ['1'])
  assert.deepEqual(
    found!.purchases.map(({ position }) => position),
    [10_000, 20_000, 30_000, 40_000],
  )

  const db = new DatabaseSync(path, { readOnly: true })
  assert.equal(db.prepare('SELECT count(DISTINCT bucket) AS count FROM purchase').get()?.count, 3)
  const plans = changeStatements(change).flatMap(({ sql }) => db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all())
  const searches = plans.map(({ detail }) => String(detail)).filter((line) => /^(SEARCH|SCAN) purchase\b/.test(line))
  const byHash = 'SEARCH purchase USING INDEX purchase_hash (bucket=? AND tag=? AND hash=?)'
  const byEventHash = 'SEARCH purchase USING INDEX purchase_event_hash (bucket=? AND tag=? AND event_hash=?)'
  const byPlace = 'SEARCH purchase USING PRIMARY KEY (position=? AND idx=?)'
  assert.deepEqual([...new Set(searches)].sort(), [byEventHash, byHash, byPlace])
  db.close()
  await store.close()
})
