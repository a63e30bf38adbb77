import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { unreadable } from './plannedEvent.ts'
import { allPages, at, idOf, plannedEvent, readDue, type StoreLocation } from './store.fixture.ts'
import type { AttemptRecord, Store } from './store.ts'

const attempt = (deliveryId: string, number = 1, overrides: Partial<AttemptRecord> = {}): AttemptRecord => ({
  deliveryId,
  number,
  at: at + 100,
  durationMs: 12,
  ...overrides,
})
const later = at + 1_000_000

/** The laws of every journal. */
export function journalLaws(createLocation: () => Promise<StoreLocation>): void {
  describe('journal', () => {
    let location: StoreLocation
    let store: Store
    before(async () => {
      location = await createLocation()
    })
    beforeEach(async () => {
      store = await (await renewed()).open()
    })
    const renewed = async () => {
      await store?.close()
      await location.remove()
      location = await createLocation()
      return location
    }
    after(async () => {
      await store.close()
      await location.remove()
    })
    const findDue = async (scriptId: string, nowMs: number, limit = 100) =>
      (await readDue(store, scriptId, nowMs, limit)).map(({ deliveryId }) => deliveryId)

    test('an event is read as it was planned, with no attempts', async () => {
      const event = plannedEvent(5, { index: 3 })
      event.deliveries.push({
        deliveryId: idOf(5, 3, 'scr_3'),
        scriptId: 'scr_3',
        providerId: 'facebook',
        status: 'skipped',
        reason: 'consent',
      })
      await store.journal.plan([event])
      const read = await store.journal.event('tag_1', 5, 3)
      const deliveries = event.deliveries.map((each) => ({
        ...each,
        at: event.receivedAt,
        ...(each.status === 'pending' && { nextAt: event.receivedAt }),
        attempts: [],
      }))
      assert.deepEqual(read, { ...event, deliveries })
    })

    test('an event is found only on its tag and at its position', async () => {
      await store.journal.plan([plannedEvent(5)])
      assert.equal(await store.journal.event('tag_2', 5, 0), undefined)
      assert.equal(await store.journal.event('tag_1', 5, 1), undefined)
      assert.equal(await store.journal.event('tag_1', 4, 0), undefined)
    })

    test('an event that is planned again keeps its first plan', async () => {
      const first = plannedEvent(5)
      const second = plannedEvent(5, { userId: 'usr_2' })
      second.deliveries = ['scr_1', 'scr_9'].map((scriptId) => {
        return { deliveryId: idOf(5, 0, scriptId), scriptId, providerId: 'webhook', status: 'pending' }
      })
      await store.journal.plan([first])
      await store.journal.plan([second, plannedEvent(6)])
      const read = await store.journal.event('tag_1', 5, 0)
      assert.equal(read?.userId, 'usr_1')
      assert.deepEqual(
        read?.deliveries.map(({ deliveryId }) => deliveryId),
        first.deliveries.map(({ deliveryId }) => deliveryId),
      )
      assert.equal(await store.journal.pendingCount(), 4)
    })

    test('a delivery that has ended stays ended when its event is planned again', async () => {
      await store.journal.plan([plannedEvent(5)])
      await store.journal.settle([{ deliveryId: idOf(5, 0, 'scr_1'), status: 'delivered' }])
      await store.journal.plan([plannedEvent(5)])
      assert.deepEqual(await findDue('scr_1', later), [])
    })

    test('pending deliveries are due from the receipt of their event, the oldest first', async () => {
      await store.journal.plan([plannedEvent(3), plannedEvent(1), plannedEvent(2)])
      assert.deepEqual(await findDue('scr_1', at + 2), [idOf(1, 0, 'scr_1'), idOf(2, 0, 'scr_1')])
      assert.deepEqual(await findDue('scr_1', at + 3, 2), [idOf(1, 0, 'scr_1'), idOf(2, 0, 'scr_1')])
      assert.deepEqual(await findDue('scr_9', later), [])
    })

    test('a due delivery has every field that an attempt needs', async () => {
      await store.journal.plan([plannedEvent(5, { index: 4, receivedAt: at })])
      assert.deepEqual((await readDue(store, 'scr_2', at, 1))[0], {
        deliveryId: idOf(5, 4, 'scr_2', at),
        tagId: 'tag_1',
        position: 5,
        index: 4,
        scriptId: 'scr_2',
        providerId: 'eventSink',
        attempts: 0,
        uncountedAttempts: 0,
        nextAt: at,
        receivedAt: at,
        priority: 'new',
      })
    })

    test('a started attempt is counted, and its delivery is not due until the given time', async () => {
      await store.journal.plan([plannedEvent(5)])
      await store.journal.markInFlight([{ deliveryId: idOf(5, 0, 'scr_1'), untilMs: at + 500 }])
      assert.deepEqual(await findDue('scr_1', at + 499), [])
      const [due] = await readDue(store, 'scr_1', at + 500, 1)
      assert.equal(due?.attempts, 1)
      assert.equal(due?.nextAt, at + 500)
    })

    test('an interrupted delivery is due after recovery; one whose attempt ended waits for its time', async () => {
      await store.journal.plan([plannedEvent(5), plannedEvent(6)])
      const cutOff = idOf(5, 0, 'scr_1')
      const ended = idOf(6, 0, 'scr_1')
      await store.journal.markInFlight([cutOff, ended].map((deliveryId) => ({ deliveryId, untilMs: at + 60_000 })))
      const again = { status: 'pending', nextAt: at + 5_000, attempt: attempt(ended) } as const
      await store.journal.settle([{ deliveryId: ended, ...again }])
      assert.deepEqual(await findDue('scr_1', at + 1), [])
      await store.journal.recoverInFlight(at + 1)
      assert.deepEqual(await findDue('scr_1', at + 1), [cutOff])
    })

    test('starting an attempt of an ended delivery does not make it pending', async () => {
      await store.journal.plan([plannedEvent(5)])
      await store.journal.settle([{ deliveryId: idOf(5, 0, 'scr_1'), status: 'refused', reason: 'payloadRefused' }])
      await store.journal.markInFlight([{ deliveryId: idOf(5, 0, 'scr_1'), untilMs: at }])
      assert.deepEqual(await findDue('scr_1', later), [])
    })

    test('an outcome ends a delivery, and its attempts are stored in order', async () => {
      const deliveryId = idOf(5, 0, 'scr_1')
      const down = attempt(deliveryId, 1, { message: 'connection refused' })
      const fine = attempt(deliveryId, 2, { httpStatus: 204 })
      await store.journal.plan([plannedEvent(5)])
      await store.journal.settle([
        { deliveryId, status: 'pending', reason: 'vendorDown', nextAt: at + 900, attempt: down },
      ])
      assert.deepEqual(await findDue('scr_1', at + 899), [])
      assert.deepEqual(await findDue('scr_1', at + 900), [deliveryId])
      await store.journal.settle([{ deliveryId, status: 'delivered', attempt: fine }])
      const [first, second] = (await store.journal.event('tag_1', 5, 0))?.deliveries ?? []
      assert.deepEqual(first, {
        deliveryId,
        scriptId: 'scr_1',
        providerId: 'eventSink',
        status: 'delivered',
        at: fine.at + fine.durationMs,
        attempts: [down, fine],
      })
      assert.deepEqual(second?.attempts, [])
      assert.equal(await store.journal.pendingCount(), 1)
    })

    test('an outcome that is written twice stores one attempt', async () => {
      const outcome = {
        deliveryId: idOf(5, 0, 'scr_1'),
        status: 'delivered',
        attempt: attempt(idOf(5, 0, 'scr_1')),
      } as const
      await store.journal.plan([plannedEvent(5)])
      await store.journal.settle([outcome])
      await store.journal.settle([outcome])
      assert.equal((await store.journal.event('tag_1', 5, 0))?.deliveries[0]?.attempts.length, 1)
    })

    test('an attempt that does not count in the retry schedule is counted as uncounted', async () => {
      await store.journal.plan([plannedEvent(5)])
      await store.journal.markInFlight([{ deliveryId: idOf(5, 0, 'scr_1'), untilMs: later }])
      await store.journal.settle([
        { deliveryId: idOf(5, 0, 'scr_1'), status: 'pending', nextAt: at + 50, isUncounted: true },
      ])
      const [due] = await readDue(store, 'scr_1', at + 50, 1)
      assert.deepEqual([due?.attempts, due?.uncountedAttempts], [1, 1])
    })

    test('interrupted and crashed attempts are counted until an attempt ends otherwise', async () => {
      const deliveryId = idOf(5, 0, 'scr_1')
      const crashes = async () => (await readDue(store, 'scr_1', later, 1))[0]?.crashCount
      await store.journal.plan([plannedEvent(5)])
      for (const count of [1, 2]) {
        await store.journal.markInFlight([{ deliveryId, untilMs: later }])
        await store.journal.recoverInFlight(at + 1)
        assert.equal(await crashes(), count)
      }
      await store.journal.settle([{ deliveryId, status: 'pending', nextAt: at, isCrash: true }])
      assert.equal(await crashes(), 3)
      await store.journal.recoverInFlight(at + 1)
      assert.equal(await crashes(), 3)
      await store.journal.settle([{ deliveryId, status: 'pending', nextAt: at }])
      assert.equal(await crashes(), undefined)
    })

    test('the results of delivered steps are stored until an attempt ends without them, or the event is replayed', async () => {
      const deliveryId = idOf(5, 0, 'scr_1')
      const row = {
        deliveryId,
        tagId: 'tag_1',
        position: 5,
        index: 0,
        scriptId: 'scr_1',
        providerId: 'eventSink',
      } as const
      const results = async () => (await readDue(store, 'scr_1', later, 1))[0]?.stepResults
      const pending = { deliveryId, status: 'pending', nextAt: at } as const
      await store.journal.plan([plannedEvent(5)])
      assert.equal(await results(), undefined)
      await store.journal.settle([{ ...pending, stepResults: [undefined, 'contact-7'] }])
      assert.deepEqual(await results(), [undefined, 'contact-7'])
      await store.journal.markInFlight([{ deliveryId, untilMs: later }])
      await store.journal.recoverInFlight(at + 1)
      assert.deepEqual(await results(), [undefined, 'contact-7'])
      await store.journal.settle([pending])
      assert.equal(await results(), undefined)
      await store.journal.settle([{ ...pending, status: 'dead', reason: 'vendorDown', stepResults: ['contact-7'] }])
      await store.journal.replay([{ ...row, nextAt: at }])
      assert.equal(await results(), undefined)
    })

    test('retries and replays are due with their own priority, and do not hide new deliveries', async () => {
      await store.journal.plan([plannedEvent(1), plannedEvent(2), plannedEvent(3)])
      const [again, replayed] = [idOf(1, 0, 'scr_1'), idOf(2, 0, 'scr_1')] as const
      await store.journal.markInFlight([again, replayed].map((deliveryId) => ({ deliveryId, untilMs: later })))
      await store.journal.settle([
        { deliveryId: again, status: 'pending', reason: 'vendorDown', nextAt: at },
        { deliveryId: replayed, status: 'dead', reason: 'vendorDown' },
      ])
      await store.journal.replay([
        {
          deliveryId: replayed,
          tagId: 'tag_1',
          position: 2,
          index: 0,
          scriptId: 'scr_1',
          providerId: 'eventSink',
          nextAt: at,
        },
      ])
      const nextOf = async (name: 'new' | 'retry' | 'replay') =>
        (await readDue(store, 'scr_1', later, 9, name)).map(({ deliveryId }) => deliveryId)
      assert.deepEqual(
        [await nextOf('new'), await nextOf('retry'), await nextOf('replay')],
        [[idOf(3, 0, 'scr_1')], [again], [replayed]],
      )
      assert.deepEqual(await findDue('scr_1', later), [idOf(3, 0, 'scr_1'), again, replayed])
      const next = (await store.journal.nextDue(-1)).filter(({ scriptId }) => scriptId === 'scr_1')
      assert.deepEqual(next.map((each) => [each.priority, each.nextAt - at]).sort(), [
        ['new', 3],
        ['replay', 0],
        ['retry', 0],
      ])
    })

    test('a replayed delivery keeps its number of attempts and restarts its retry schedule; a missing one is added', async () => {
      const ref = { tagId: 'tag_1', position: 5, index: 0, providerId: 'eventSink', nextAt: at + 50 } as const
      await store.journal.plan([plannedEvent(5)])
      await store.journal.markInFlight([{ deliveryId: idOf(5, 0, 'scr_1'), untilMs: later }])
      await store.journal.settle([{ deliveryId: idOf(5, 0, 'scr_1'), status: 'dead', reason: 'vendorDown' }])
      await store.journal.replay(
        ['scr_1', 'scr_2', 'scr_9'].map((scriptId) => ({ ...ref, scriptId, deliveryId: idOf(5, 0, scriptId) })),
      )
      const [first] = await readDue(store, 'scr_1', later, 1, 'replay')
      assert.deepEqual(
        [first?.deliveryId, first?.attempts, first?.uncountedAttempts, first?.nextAt],
        [idOf(5, 0, 'scr_1'), 1, 1, at + 50],
      )
      assert.deepEqual((await readDue(store, 'scr_2', later, 1))[0]?.priority, 'new')
      const [added] = await readDue(store, 'scr_9', later, 1)
      assert.deepEqual([added?.deliveryId, added?.priority, added?.attempts], [idOf(5, 0, 'scr_9'), 'replay', 0])
    })

    test('a delivery that waits for a paused channel has the reason of the pause, unless it has its own', async () => {
      const pause = {
        scriptId: 'scr_1',
        tagId: 'tag_1',
        reason: 'keyRejected',
        since: at,
        until: later,
        times: 2,
        secrets: '{}',
      } as const
      await store.journal.plan([plannedEvent(5)])
      await store.journal.pause({ ...pause, times: 1 })
      await store.journal.pause(pause)
      assert.deepEqual(await store.journal.pauses(), [pause])
      const reasons = async () => (await store.journal.event('tag_1', 5, 0))?.deliveries.map(({ reason }) => reason)
      assert.deepEqual(await reasons(), ['keyRejected', undefined])
      await store.journal.settle([
        { deliveryId: idOf(5, 0, 'scr_1'), status: 'pending', reason: 'vendorDown', nextAt: at },
      ])
      assert.deepEqual(await reasons(), ['vendorDown', undefined])
      await store.journal.resume('scr_1')
      assert.deepEqual(await store.journal.pauses(), [])
    })

    test('overdue deliveries are found by priority and by the receipt of their event', async () => {
      await store.journal.plan([plannedEvent(1), plannedEvent(2), plannedEvent(3)])
      const found = await store.journal.overdue('scr_1', 'new', { dueMs: at + 2, receivedMs: at + 1 }, 9)
      assert.deepEqual(
        found.map(({ deliveryId }) => deliveryId),
        [idOf(1, 0, 'scr_1')],
      )
      assert.deepEqual(await store.journal.overdue('scr_1', 'retry', { dueMs: later, receivedMs: later }, 9), [])
      assert.equal((await store.journal.overdue('scr_1', 'new', { dueMs: later, receivedMs: later }, 2)).length, 2)
    })

    test('the first due time after a given time is found for each script with pending deliveries', async () => {
      await store.journal.plan([plannedEvent(1), plannedEvent(2), plannedEvent(3)])
      await store.journal.settle([
        { deliveryId: idOf(1, 0, 'scr_2'), status: 'delivered' },
        { deliveryId: idOf(3, 0, 'scr_2'), status: 'dead', reason: 'expired' },
      ])
      const retries = [idOf(1, 0, 'scr_1'), idOf(2, 0, 'scr_1'), idOf(2, 0, 'scr_2'), idOf(3, 0, 'scr_1')]
      await store.journal.settle(retries.map((deliveryId) => ({ deliveryId, status: 'pending' })))
      const sorted = async (afterMs: number) =>
        (await store.journal.nextDue(afterMs)).map(({ scriptId, nextAt }) => [scriptId, nextAt - at]).sort()
      assert.deepEqual(await sorted(-1), [
        ['scr_1', 1],
        ['scr_2', 2],
      ])
      assert.deepEqual(await sorted(at + 1), [
        ['scr_1', 2],
        ['scr_2', 2],
      ])
      assert.deepEqual(await sorted(at + 2), [['scr_1', 3]])
      assert.deepEqual(await sorted(at + 3), [])
    })

    test('the pages of a tag contain each of its events once, newest first, with the events of one batch adjacent', async () => {
      const places = Array.from({ length: 9 }, (_, n) => ({ position: 1 + Math.floor(n / 3), index: n % 3 }))
      const bare = places.map(({ position, index }) => plannedEvent(position, { index, deliveries: [] }))
      await store.journal.plan([...bare, plannedEvent(2, { index: 9, tagId: 'tag_2' })])
      for (const limit of [1, 2, 4, 9, 20]) {
        const rows = await allPages(limit, (page) => store.queries('team_1').events('tag_1', {}, page))
        assert.deepEqual(
          rows.map(({ position, index }) => ({ position, index })),
          places.toReversed(),
        )
      }
      const [row] = (await store.queries('team_1').events('tag_1', {}, { limit: 1 })).rows
      const { position, index, eventName, userId, receivedAt } = bare.at(-1)!
      assert.deepEqual(row, { position, index, eventName, userId, receivedAt, counts: {} })
    })

    test('an event that was unreadable gets its name and user once; the plan of any other event is kept', async () => {
      const dead = { status: 'dead', reason: 'poison' } as const
      const placeholder = { eventName: unreadable, userId: unreadable, emailMatch: 'usr_other' }
      const [planned, other] = [plannedEvent(5), plannedEvent(6)]
      const deliveries = planned.deliveries.map((each) => ({ ...each, ...dead }))
      await store.journal.plan([{ ...planned, ...placeholder, deliveries }, other])
      const place = { country: 'FR', source: 'payload' } as const
      const named = [planned, other].map((each) => ({ ...each, place, userId: 'usr_2', emailMatch: 'usr_3' }))
      for (const _ of 'ab') await store.journal.nameUnreadable(named)
      const event = await store.journal.event('tag_1', 5, 0)
      assert.deepEqual(
        [event?.eventName, event?.userId, event?.emailMatch, event?.place.country, event?.receivedAt],
        ['Purchase', 'usr_2', 'usr_3', 'FR', planned.receivedAt],
      )
      assert.deepEqual(
        event?.deliveries.map(({ status }) => status),
        ['dead', 'dead'],
      )
      assert.equal((await store.journal.event('tag_1', 6, 0))?.userId, 'usr_1')
      const found = await store.queries('team_1').events('tag_1', {}, { limit: 5 })
      assert.deepEqual(
        found.rows.map(({ eventName }) => eventName),
        ['Purchase', 'Purchase'],
      )
      assert.equal((await store.journal.eventsOf('tag_1', 'usr_2', { limit: 5 })).rows.length, 1)
    })

    test('plans, started attempts and outcomes persist after the store is reopened', async () => {
      await store.journal.plan([plannedEvent(5)])
      await store.journal.markInFlight([{ deliveryId: idOf(5, 0, 'scr_1'), untilMs: at + 60 }])
      await store.journal.settle([
        { deliveryId: idOf(5, 0, 'scr_2'), status: 'delivered', attempt: attempt(idOf(5, 0, 'scr_2')) },
      ])
      const before = await store.journal.event('tag_1', 5, 0)
      await store.close()
      store = await location.open()
      assert.deepEqual(await store.journal.event('tag_1', 5, 0), before)
      assert.equal((await readDue(store, 'scr_1', at + 60, 1))[0]?.attempts, 1)
      assert.equal(await store.journal.pendingCount(), 1)
    })
  })
}
