import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { at, idOf, plannedEvent, readDue, type StoreLocation } from './store.fixture.ts'
import type { DeliveryOutcome, Store } from './store.ts'

const later = at + 1_000_000

/** The laws of deliveries that are planned and have not been attempted yet. */
export function plannedDeliveryLaws(createLocation: () => Promise<StoreLocation>): void {
  describe('planned deliveries', () => {
    let location: StoreLocation
    let store: Store
    before(async () => {
      location = await createLocation()
    })
    beforeEach(async () => {
      await store?.close()
      await location.remove()
      location = await createLocation()
      store = await location.open()
    })
    after(async () => {
      await store.close()
      await location.remove()
    })
    const planned = (position: number) => {
      const { tagId, index, receivedAt, deliveries } = plannedEvent(position)
      const place = { tagId, position, index, receivedAt, nextAt: receivedAt }
      return deliveries.map(({ deliveryId, scriptId, providerId }) => {
        const counts = {
          attempts: 0,
          uncountedAttempts: 0,
          priority: 'new',
          planned: { isWritten: true, written: Promise.resolve(true) },
        } as const
        return { ...place, deliveryId, scriptId, providerId, ...counts }
      })
    }
    const outcomeOf = (position: number, outcome: Omit<DeliveryOutcome, 'deliveryId'>): DeliveryOutcome => {
      const delivery = planned(position)[0]!
      const { deliveryId } = delivery
      const attempt = { deliveryId, number: 1, at: at + 100, durationMs: 12 }
      return { deliveryId, tagId: 'tag_1', delivery, attempt, ...outcome }
    }
    const statuses = async (journal = store.journal) =>
      (await journal.event('tag_1', 5, 0))?.deliveries.map(({ status, reason }) =>
        reason ? `${status} ${reason}` : status,
      )

    test('the first outcome of a delivery is written, and the others of its event stay pending', async () => {
      await store.journal.plan([plannedEvent(5)])
      assert.deepEqual(await statuses(), ['pending', 'pending'])
      await store.journal.settle([outcomeOf(5, { status: 'delivered' })])
      assert.deepEqual(await statuses(), ['delivered', 'pending'])
      const [row] = (await store.queries('team_1').events('tag_1', {}, { limit: 5 })).rows
      assert.deepEqual(row?.counts, { delivered: 1, pending: 1 })
      assert.equal(await store.journal.pendingCount(), 1)
      assert.deepEqual(await statuses(), ['delivered', 'pending'])
      assert.deepEqual(await store.journal.neededPositions(0, 9), [5])
    })

    test('a failed first attempt is due again at its time, as a retry with one attempt', async () => {
      await store.journal.plan([plannedEvent(5)])
      await store.journal.settle([outcomeOf(5, { status: 'pending', reason: 'vendorDown', nextAt: at + 900 })])
      assert.deepEqual(await readDue(store, 'scr_1', at + 899, 9), [])
      const [due] = await readDue(store, 'scr_1', at + 900, 9)
      assert.deepEqual([due?.attempts, due?.priority, due?.nextAt], [1, 'retry', at + 900])
    })

    test('an outcome is stored whether or not the delivery was read as due during its attempt', async () => {
      await store.journal.plan([plannedEvent(5)])
      assert.equal((await readDue(store, 'scr_1', later, 9)).length, 1)
      await store.journal.settle([outcomeOf(5, { status: 'delivered' })])
      assert.deepEqual(await readDue(store, 'scr_1', later, 9), [])
      assert.deepEqual(await statuses(), ['delivered', 'pending'])
      const [first] = (await store.journal.event('tag_1', 5, 0))!.deliveries
      assert.equal(first?.attempts.length, 1)
    })

    test('a delivery is due for everybody who asks while its row is being stored for another', async () => {
      await store.journal.plan([plannedEvent(5)])
      const [, ...found] = await Promise.all([
        store.journal.nextDue(-1),
        ...['scr_1', 'scr_2'].map((scriptId) => readDue(store, scriptId, later, 9)),
      ])
      assert.deepEqual(
        found.map((due) => due.map(({ deliveryId }) => deliveryId)),
        [[idOf(5, 0, 'scr_1')], [idOf(5, 0, 'scr_2')]],
      )
    })

    test('an outcome whose first write is in doubt is written again and counts once', async () => {
      await store.journal.plan([plannedEvent(5)])
      const again = outcomeOf(5, { status: 'pending', reason: 'poison', nextAt: at, isUncounted: true, isCrash: true })
      for (const _ of 'ab') await store.journal.settle([again])
      const [due] = await readDue(store, 'scr_1', later, 9)
      assert.deepEqual([due?.attempts, due?.uncountedAttempts, due?.crashCount], [1, 1, 1])
      const range = { from: at - 60_000, to: at + 120_000, step: 'minute' } as const
      const { deliveries } = await store.queries('team_1').stats('tag_1', range)
      assert.equal(deliveries.total, 1)
    })

    test('after a crash the deliveries of open events are due, and count as crashed once; ended ones stay ended', async () => {
      await store.journal.plan([plannedEvent(5), plannedEvent(6)])
      await store.journal.settle([outcomeOf(5, { status: 'delivered' })])
      const next = await location.open()
      try {
        await next.journal.recoverInFlight(later)
        const due = async (scriptId: string) =>
          (await readDue(next, scriptId, later, 9)).map((each) => [each.position, each.attempts, each.crashCount])
        assert.deepEqual(await due('scr_1'), [[6, 0, 1]])
        assert.deepEqual(await due('scr_2'), [
          [5, 0, 1],
          [6, 0, 1],
        ])
        assert.deepEqual(await statuses(next.journal), ['delivered', 'pending'])
      } finally {
        await next.close()
      }
    })

    test('an event that is planned again after a crash keeps its first deliveries', async () => {
      await store.journal.plan([plannedEvent(5)])
      const next = await location.open()
      try {
        await next.journal.recoverInFlight(at)
        const deliveries = plannedEvent(5).deliveries.map((each) => ({ ...each, deliveryId: `${each.deliveryId}_new` }))
        await next.journal.plan([plannedEvent(5, { deliveries })])
        const ids = (await readDue(next, 'scr_1', later, 9)).map(({ deliveryId }) => deliveryId)
        assert.deepEqual(ids, [idOf(5, 0, 'scr_1')])
      } finally {
        await next.close()
      }
    })

    test('a delivery that was in flight at the ends of processes is due 30 s, 2 min and 10 min later', async () => {
      await store.journal.plan([plannedEvent(5)])
      await store.journal.recoverInFlight(at)
      const deliveryId = idOf(5, 0, 'scr_1')
      let now = at
      for (const [before, delayMs] of [30_000, 120_000, 600_000, 0].entries()) {
        await store.journal.markInFlight([{ deliveryId, untilMs: later }])
        await store.journal.recoverInFlight(now)
        assert.deepEqual(await readDue(store, 'scr_1', now + delayMs - 1, 9), [])
        now += delayMs
        const [due] = await readDue(store, 'scr_1', now, 9)
        assert.deepEqual([due?.deliveryId, due?.crashCount], [deliveryId, before + 2])
      }
    })

    test('the pending deliveries of an erased user end, those without an attempt included', async () => {
      await store.journal.plan([plannedEvent(5)])
      await store.write([{ erase: 'user', tagId: 'tag_1', userId: 'usr_1', at: later }])
      assert.deepEqual(await statuses(), ['dead erased', 'dead erased'])
      assert.equal(await store.journal.pendingCount(), 0)
    })

    test('a replay neither repeats nor doubles a delivery that waits for its first attempt', async () => {
      await store.journal.plan([plannedEvent(5)])
      const again = { tagId: 'tag_1', position: 5, index: 0, providerId: 'eventSink', nextAt: at } as const
      await store.journal.replay([{ ...again, scriptId: 'scr_1', deliveryId: idOf(5, 0, 'scr_1') }])
      const due = await readDue(store, 'scr_1', later, 9)
      assert.deepEqual(
        due.map(({ deliveryId, priority }) => [deliveryId, priority]),
        [[idOf(5, 0, 'scr_1'), 'new']],
      )
    })
  })
}
