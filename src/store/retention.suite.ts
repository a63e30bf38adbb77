import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { at, plannedEvent, type StoreLocation } from './store.fixture.ts'
import type { Store } from './store.ts'

const day = 86_400_000
const cutoffs = {
  ...{ journalMs: at + day, failuresMs: 0, bodiesMs: at + day, failedBodiesMs: 0 },
  ...{ keptDeployments: 100, hourlyRollupMs: 0, dailyRollupMs: 0 },
}

/** The laws of every store for the turns of retention. */
export function retentionLaws(createLocation: () => Promise<StoreLocation>): void {
  describe('retention', () => {
    let location: StoreLocation
    let store: Store
    before(async () => {
      location = await createLocation()
      store = await location.open()
    })
    after(async () => {
      await store.close()
      await location.remove()
    })

    async function dropExpired(tagId: string): Promise<void> {
      await store.journal.nextKeptTag('') // begins a pass
      for (let after: string | undefined, isFirst = true; isFirst || after; isFirst = false)
        after = (await store.journal.dropExpired(cutoffs, tagId, after)).next
    }

    test('what has expired of one tag is dropped without that of another, and each tag with rows is named', async () => {
      const tags = ['tag_2', 'tag_1', 'tag_3']
      await store.journal.plan(tags.map((tagId, n) => plannedEvent(n + 1, { tagId, deliveries: [] })))
      await store.journal.settle(
        [],
        tags.map((tagId) => ({ tagId, failed: false, at, sealed: new Uint8Array(9) })),
      )
      const repeats = tags.map((tagId) => ({ tagId, key: 5n, at, count: 1 }))
      const batch = { counts: [], latencies: [], refusals: [], seen: [], repeats, matches: [] }
      await store.write([{ add: 'intake', batch }])
      const kept = async () =>
        Promise.all(
          tags.map(async (tagId, n) => [
            Boolean(await store.journal.event(tagId, n + 1, 0)),
            Boolean(await store.journal.exchangePack(n + 1)),
            (await store.journal.repeats(tagId, [5n])) === 1,
          ]),
        )
      await dropExpired('tag_1')
      const [all, none] = [Array(3).fill(true), Array(3).fill(false)]
      assert.deepEqual(await kept(), [all, none, all])
      const named: string[] = []
      for (let tagId: string | undefined = ''; tagId !== undefined; ) {
        tagId = await store.journal.nextKeptTag(tagId)
        if (tagId) named.push(tagId)
      }
      assert.deepEqual(
        named.filter((tagId) => tagId !== 'tag_1'),
        ['tag_2', 'tag_3'],
      )
    })

    test('an event is dropped with its deliveries, and one of which a delivery waits stays with all of them', async () => {
      const [ended, waiting] = [plannedEvent(11, { tagId: 'tag_4' }), plannedEvent(12, { tagId: 'tag_4' })]
      await store.journal.plan([ended, waiting])
      const done = [...ended.deliveries, waiting.deliveries[0]!]
      await store.journal.settle(
        done.map(({ deliveryId }) => {
          const attempt = { deliveryId, number: 1, at, durationMs: 1, httpStatus: 200, message: 'ok' }
          return { deliveryId, status: 'delivered', attempt }
        }),
      )
      await dropExpired('tag_4')
      const statuses = [...ended.deliveries, ...waiting.deliveries].map(({ deliveryId }) =>
        store.replays.statusOf(deliveryId),
      )
      assert.deepEqual(
        (await Promise.all(statuses)).map((each) => each?.status),
        [undefined, undefined, 'delivered', 'pending'],
      )
      assert.equal(await store.journal.event('tag_4', 11, 0), undefined)
      assert.equal((await store.journal.event('tag_4', 12, 0))?.deliveries[0]?.attempts.length, 1)
    })
  })
}
