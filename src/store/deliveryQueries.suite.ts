import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { DeliveryReason, DeliveryStatus } from '#contract/deliveryStatus.ts'
import { Fault } from '#contract/fault.ts'
import { standardEvents } from '#contract/standardEvents.ts'
import { deliveryKeyOf } from './deliveryId.ts'
import { countedNames, type DeliveryFilter, otherNames, type RetentionCutoffs } from './deliveryQueries.ts'
import { dropAllExpired } from './retention.fixture.ts'
import type { StatsRequest } from './stats.ts'
import { allPages, at, idOf, plannedEvent, readDue, type StoreLocation } from './store.fixture.ts'
import type { DeliveryOutcome, EventRef, PlannedDelivery, PlannedEvent, Store } from './store.ts'

const day = 86_400_000
const bytes = (text: string) => new Uint8Array(Buffer.from(text))

/** An event with one delivery for each of these texts, such as `scr_1 dead vendorDown`. */
function eventWith(position: number, texts: readonly string[], overrides: Partial<PlannedEvent> = {}): PlannedEvent {
  const { index = 0, receivedAt = at + position } = overrides
  const rows = texts.map((text): PlannedDelivery => {
    const [scriptId, status, reason] = text.split(' ') as [string, DeliveryStatus, DeliveryReason | undefined]
    const deliveryId = idOf(position, index, scriptId, receivedAt)
    return { deliveryId, scriptId, providerId: 'eventSink', status, ...(reason && { reason }) }
  })
  return plannedEvent(position, { ...overrides, deliveries: rows })
}
/** Names the event and the script of a delivery. */
function nameOf({ deliveryId, scriptId }: Pick<PlannedDelivery, 'deliveryId' | 'scriptId'>): string {
  const { position, index } = deliveryKeyOf(deliveryId)!
  return `${position}_${index}_${scriptId}`
}
const attemptOf = (deliveryId: string, more: Partial<DeliveryOutcome> = {}): DeliveryOutcome => ({
  deliveryId,
  status: 'delivered',
  attempt: { deliveryId, number: 1, at: at + 60_000, durationMs: 5, httpStatus: 200 },
  ...more,
})
const noCutoffs: RetentionCutoffs = {
  journalMs: 0,
  failuresMs: 0,
  bodiesMs: 0,
  failedBodiesMs: 0,
  keptDeployments: 100,
  hourlyRollupMs: 0,
  dailyRollupMs: 0,
}

/** The laws of every store for lookups in the journal. */
export function findingLaws(createLocation: () => Promise<StoreLocation>): void {
  describe('findings', () => {
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
    const queries = () => store.queries('team_1')
    const found = async (filter: DeliveryFilter, limit = 3) =>
      (await allPages(limit, (page) => queries().deliveries('tag_1', filter, page))).map((row) => nameOf(row))
    const stats = (request: Partial<StatsRequest> = {}) =>
      queries().stats('tag_1', { from: at - 60_000, to: at + day, step: 'minute', ...request })
    const expireAll = (cutoffs: Partial<RetentionCutoffs>) =>
      dropAllExpired(store.journal, { ...noCutoffs, ...cutoffs })

    test('deliveries are found by status, reason, script, event name and time, those of the newest event first', async () => {
      await store.journal.plan([
        eventWith(1, ['scr_1 delivered', 'scr_2 dead vendorDown'], { eventName: 'PageView' }),
        eventWith(2, ['scr_1 skipped consent', 'scr_2 skipped region'], { receivedAt: at + 5 * 60_000 }),
        eventWith(3, ['scr_1 dead poison', 'scr_2 delivered'], { eventName: 'PageView', receivedAt: at + 10 * 60_000 }),
        eventWith(4, ['scr_1 delivered'], { tagId: 'tag_2' }),
      ])
      assert.deepEqual(await found({}), ['3_0_scr_2', '3_0_scr_1', '2_0_scr_2', '2_0_scr_1', '1_0_scr_2', '1_0_scr_1'])
      assert.deepEqual(await found({ statuses: ['dead'] }), ['3_0_scr_1', '1_0_scr_2'])
      assert.deepEqual(await found({ statuses: ['dead', 'delivered'], scriptId: 'scr_2' }), ['3_0_scr_2', '1_0_scr_2'])
      assert.deepEqual(await found({ reasons: ['region', 'poison'] }), ['3_0_scr_1', '2_0_scr_2'])
      assert.deepEqual(await found({ scriptId: 'scr_1' }), ['3_0_scr_1', '2_0_scr_1', '1_0_scr_1'])
      assert.deepEqual(await found({ eventName: 'PageView', statuses: ['delivered'] }), ['3_0_scr_2', '1_0_scr_1'])
      assert.deepEqual(await found({ eventName: 'PageView', statuses: ['dead'] }), ['3_0_scr_1', '1_0_scr_2'])
      assert.deepEqual(await found({ fromMs: at + 5 * 60_000, toMs: at + 10 * 60_000 }), ['2_0_scr_2', '2_0_scr_1'])
      assert.deepEqual(await found({ fromMs: at + 6 * 60_000, statuses: ['delivered'] }), ['3_0_scr_2'])
      assert.deepEqual(await found({ scriptId: 'scr_9' }), [])
      assert.deepEqual((await queries().deliveries('tag_9', {}, { limit: 5 })).rows, [])
    })

    test('the pages of a filter contain each delivery once, for any page size', async () => {
      const statuses = ['delivered', 'dead vendorDown', 'dead poison', 'skipped consent', 'refused payloadRefused']
      const events = Array.from({ length: 30 }, (_, n) =>
        eventWith(
          1 + Math.floor(n / 3),
          [1, 2, 3].map((script) => `scr_${script} ${statuses[(n * script) % 5]}`),
          { index: n % 3 },
        ),
      )
      await store.journal.plan(events)
      const all = events.flatMap(({ deliveries }) => deliveries).toReversed()
      const ids = (rows: readonly PlannedDelivery[]) => rows.map(nameOf)
      for (const limit of [1, 4, 7, 200]) {
        assert.deepEqual(await found({}, limit), ids(all))
        assert.deepEqual(await found({ statuses: ['dead'] }, limit), ids(all.filter((row) => row.status === 'dead')))
        assert.deepEqual(
          await found({ scriptId: 'scr_2', statuses: ['dead', 'skipped'] }, limit),
          ids(all.filter((row) => row.scriptId === 'scr_2' && ['dead', 'skipped'].includes(row.status))),
        )
      }
    })

    test('a delivery is found with its state: the attempts, the last response and the next attempt', async () => {
      await store.journal.plan([eventWith(5, ['scr_1 pending'])])
      await store.journal.markInFlight([{ deliveryId: idOf(5, 0, 'scr_1'), untilMs: at + 500 }])
      const attempt = {
        deliveryId: idOf(5, 0, 'scr_1'),
        number: 1,
        at: at + 100,
        durationMs: 20,
        httpStatus: 503,
        message: 'no',
      }
      await store.journal.settle([
        { deliveryId: idOf(5, 0, 'scr_1'), status: 'pending', reason: 'vendorDown', nextAt: at + 900, attempt },
      ])
      const row = {
        deliveryId: idOf(5, 0, 'scr_1'),
        tagId: 'tag_1',
        position: 5,
        index: 0,
        eventName: 'Purchase',
        userId: 'usr_1',
        scriptId: 'scr_1',
        providerId: 'eventSink',
        status: 'pending',
        reason: 'vendorDown',
        receivedAt: at + 5,
        at: at + 120,
        attempts: 1,
        nextAt: at + 900,
        httpStatus: 503,
        message: 'no',
      }
      assert.deepEqual((await queries().deliveries('tag_1', { statuses: ['pending'] }, { limit: 5 })).rows, [row])
      const current = { deliveryId: idOf(5, 0, 'scr_1'), status: 'pending', at: at + 5 } as const
      const gone = { ...current, deliveryId: idOf(99, 0, 'scr_1') }
      const watched = await queries().watch('tag_1', { open: [current, gone], events: 0 })
      assert.deepEqual([watched.changed, watched.gone], [[row], [idOf(99, 0, 'scr_1')]])
      const { status, reason, at: since } = watched.changed[0]!
      const same = { deliveryId: current.deliveryId, status, at: since, ...(reason && { reason }) }
      assert.deepEqual((await queries().watch('tag_1', { open: [same], events: 0 })).changed, [])
    })

    test('the events after a given one are returned with their deliveries, and with the number of further events', async () => {
      await store.journal.plan([1, 2, 3, 4].map((position) => eventWith(position, ['scr_1 delivered'])))
      const place = { tagId: 'tag_1', position: 1, index: 0 }
      const after = (from: EventRef | undefined, events: number) =>
        queries().watch('tag_1', { open: [], events, ...(from && { after: from }) })
      const { rows, last, more, newest } = await after(place, 2)
      assert.deepEqual([rows.map((each) => each.position), last?.position, more], [[2, 3], 3, 1])
      assert.deepEqual([newest, newest?.position], [await store.journal.newestEvent('tag_1'), 4])
      const { recent: _, ...nothing } = await after(newest, 5)
      assert.deepEqual(nothing, { changed: [], gone: [], listed: [], rows: [], more: 0 })
      assert.equal((await after(undefined, 9)).rows.length, 4)
      assert.equal(await store.journal.newestEvent('tag_9'), undefined)
    })

    test('events and outcomes are counted by minute, script, name, status and reason; a repeated write is not counted', async () => {
      const events = [eventWith(1, ['scr_1 pending', 'scr_2 skipped consent']), eventWith(2, ['scr_1 pending'])]
      await store.journal.plan(events)
      await store.journal.plan(events)
      const again = attemptOf(idOf(1, 0, 'scr_1'), { status: 'pending', reason: 'vendorDown', nextAt: at })
      const outcomes = [again, attemptOf(idOf(2, 0, 'scr_1'))]
      await store.journal.settle(outcomes)
      await store.journal.settle(outcomes)
      await store.journal.settle([
        attemptOf(idOf(1, 0, 'scr_1'), {
          attempt: { deliveryId: idOf(1, 0, 'scr_1'), number: 2, at: at + 120_000, durationMs: 1 },
        }),
      ])
      const minute = (ms: number) => Math.floor((at + ms) / 60_000) * 60_000
      const counted = await stats()
      assert.deepEqual(
        counted.series.map((row) => [row.at, row.events, row.counts]),
        [
          [minute(0), 2, { skipped: 1 }],
          [minute(60_000), 0, { delivered: 1, pending: 1 }],
          [minute(120_000), 0, { delivered: 1 }],
        ],
      )
      assert.deepEqual(
        counted.byScript.map(({ scriptId, counts }) => [scriptId, counts]),
        [
          ['scr_1', { delivered: 2, pending: 1 }],
          ['scr_2', { skipped: 1 }],
        ],
      )
      assert.deepEqual(
        counted.byEvent.map(({ eventName, events: eventCount, total }) => [eventName, eventCount, total]),
        [['Purchase', 2, 4]],
      )
      assert.deepEqual(
        counted.byReason.toSorted((one, other) => one.status.localeCompare(other.status)),
        [
          { status: 'pending', reason: 'vendorDown', count: 1 },
          { status: 'skipped', reason: 'consent', count: 1 },
        ],
      )
      assert.deepEqual((await stats({ scriptId: 'scr_2' })).deliveries.counts, { skipped: 1 })
      assert.deepEqual((await stats({ statuses: ['pending'], reasons: ['vendorDown'] })).deliveries.total, 1)
      const byDay = await stats({ from: at - day, step: 'day' })
      assert.deepEqual(
        byDay.series.map((row) => [row.at, row.counts.delivered]),
        [[Math.floor(at / day) * day, 2]],
      )
    })

    test('refused calls are counted by minute and by limit', async () => {
      const minute = Math.floor(at / 60_000) * 60_000
      const row = (of: 'team' | 'tag', calls: number, ms = 0) => ({ tagId: 'tag_1', at: minute + ms, of, calls })
      await store.write([{ add: 'refusedCalls', rows: [row('team', 3), row('tag', 2), row('tag', 4, 60_000)] }])
      await store.write([{ add: 'refusedCalls', rows: [row('tag', 1, 59_999), { ...row('tag', 7), tagId: 'tag_2' }] }])
      const counted = await stats()
      assert.deepEqual(counted.refusedCalls, { total: 10, ofTeam: 3, ofTag: 7 })
      const series = [
        [minute, 6],
        [minute + 60_000, 4],
      ]
      assert.deepEqual(
        counted.series.map((each) => [each.at, each.refusedCalls]),
        series,
      )
      await expireAll({ hourlyRollupMs: at + day })
      assert.deepEqual((await stats({ from: at - day })).refusedCalls, counted.refusedCalls)
    })

    test('issues are counted by path and message, with list indexes as one path', async () => {
      await store.journal.plan([eventWith(1, ['scr_1 pending'])])
      const issues = [0, 1].map((n) => ({ path: `data.contents.${n}.id`, message: 'must be string' }))
      const attempt = { deliveryId: idOf(1, 0, 'scr_1'), number: 1, at, durationMs: 0, issues }
      for (let n = 0; n < 2; n++) await store.journal.settle([attemptOf(idOf(1, 0, 'scr_1'), { attempt })])
      assert.deepEqual((await stats({ step: 'hour' })).issues, [
        { eventName: 'Purchase', path: 'data.contents.*.id', message: 'must be string', count: 2 },
      ])
    })

    test('standard event names and 500 others per tag and day are counted separately, and further ones as (other)', async () => {
      const named = (position: number, eventName: string, overrides: Partial<PlannedEvent> = {}) =>
        eventWith(position, ['scr_1 skipped consent', 'scr_2 pending'], { eventName, ...overrides })
      await store.journal.plan(Array.from({ length: countedNames + 20 }, (_, n) => named(n + 1, `name ${n}`)))
      const later = [...Object.keys(standardEvents), 'name 0', `name ${countedNames}`, 'of tomorrow']
      await store.journal.plan(later.map((name, n) => named(1_000 + n, name)))
      await store.journal.plan([named(2_000, 'of tomorrow', { receivedAt: at + day })])
      await store.journal.plan([named(2_001, 'of another tag', { tagId: 'tag_2' })])
      const countOf = async (eventName: string, tagId = 'tag_1') => {
        const range = { from: at - day, to: at + 2 * day, step: 'day' as const, eventName }
        const { byEvent } = await queries().stats(tagId, range)
        return byEvent.map(({ events, counts }) => [events, counts.skipped])
      }
      for (const name of Object.keys(standardEvents)) assert.deepEqual(await countOf(name), [[1, 1]], name)
      assert.deepEqual(await countOf('name 0'), [[2, 2]])
      assert.deepEqual(await countOf(otherNames), [[22, 22]])
      assert.deepEqual(await countOf(`name ${countedNames}`), [])
      assert.deepEqual(await countOf('of tomorrow'), [[1, 1]])
      assert.deepEqual(await countOf('of another tag', 'tag_2'), [[1, 1]])
    })

    test('the outcome and issues of an event whose name is not counted separately that day are counted as (other)', async () => {
      const names = Array.from({ length: countedNames + 1 }, (_, n) => `name ${n}`)
      await store.journal.plan(names.map((eventName, n) => eventWith(n + 1, ['scr_1 pending'], { eventName })))
      for (const position of [1, countedNames + 1]) {
        const deliveryId = idOf(position, 0, 'scr_1')
        const issues = [{ path: 'data', message: 'must be object' }]
        const attempt = { deliveryId, number: 1, at: at + 60_000, durationMs: 5, issues }
        await store.journal.settle([attemptOf(deliveryId, { attempt })])
      }
      const { issues } = await stats({ step: 'hour' })
      assert.deepEqual(issues.map(({ eventName }) => eventName).sort(), [otherNames, 'name 0'])
      const delivered = async (eventName: string) => (await stats({ eventName })).deliveries.counts.delivered
      assert.deepEqual(await Promise.all(['name 0', otherNames].map(delivered)), [1, 1])
    })

    test('an attempt refers to the pack and part with its exchanges, also after the pack is replaced', async () => {
      await store.journal.plan([eventWith(1, ['scr_1 pending', 'scr_2 pending'])])
      const outcomes = ['scr_1', 'scr_2'].map((scriptId, part) => {
        const deliveryId = idOf(1, 0, scriptId)
        return attemptOf(deliveryId, {
          attempt: { deliveryId, number: 1, at, durationMs: 1, packed: { pack: 1 - part, part: part + 4 } },
        })
      })
      const pack = (text: string) => ({ tagId: 'tag_1', failed: false, at, sealed: bytes(text) })
      await store.journal.settle(outcomes, [pack('for scr_2'), pack('for scr_1')])
      const refs = await store.journal.exchangePackRefs([{ tagId: 'tag_1', position: 1, index: 0 }])
      const event = await store.journal.event('tag_1', 1, 0)
      const ofEvent = event?.deliveries.map(({ attempts }) => attempts[0]?.bodies)
      assert.deepEqual(
        refs.map(({ no, part }) => ({ no, part })),
        ofEvent,
      )
      assert.deepEqual(
        refs.map(({ part }) => part),
        [4, 5],
      )
      const texts = await Promise.all(
        refs.map(async ({ no }) => Buffer.from((await store.journal.exchangePack(no))!.sealed).toString()),
      )
      assert.deepEqual(texts, ['for scr_1', 'for scr_2'])
      await store.journal.replaceExchangePack(refs[0]!.no, bytes('blank'))
      assert.deepEqual(await store.journal.exchangePack(refs[0]!.no), { tagId: 'tag_1', sealed: bytes('blank') })
      assert.equal(await store.journal.exchangePack(99), undefined)
    })

    test('expired events are dropped, those with a failed delivery later, and pending or held ones are kept', async () => {
      const old = { receivedAt: at }
      await store.journal.plan([
        eventWith(1, ['scr_1 delivered', 'scr_2 skipped consent'], old),
        eventWith(2, ['scr_1 delivered', 'scr_2 dead vendorDown'], old),
        eventWith(3, ['scr_1 refused payloadRefused'], old),
        eventWith(4, ['scr_1 delivered', 'scr_2 pending'], old),
        eventWith(5, ['scr_1 held consent'], old),
        eventWith(6, ['scr_1 delivered'], { receivedAt: at + 2 * day }),
        eventWith(7, ['scr_1 delivered'], { ...old, tagId: 'tag_2' }),
        eventWith(8, [], old),
      ])
      await store.journal.settle([attemptOf(idOf(1, 0, 'scr_1'))])
      const left = async () =>
        (await allPages(9, (page) => queries().events('tag_1', {}, page))).map((row) => row.position)
      assert.equal(await expireAll({ journalMs: at + day }), 3)
      assert.deepEqual(await left(), [6, 5, 4, 3, 2])
      assert.equal((await queries().events('tag_2', {}, { limit: 5 })).rows.length, 0)
      assert.deepEqual(await found({ statuses: ['delivered'] }), ['6_0_scr_1', '4_0_scr_1', '2_0_scr_1'])
      assert.equal(await expireAll({ journalMs: at + day, failuresMs: at + day }), 2)
      assert.deepEqual(await left(), [6, 5, 4])
      assert.deepEqual(
        (await readDue(store, 'scr_2', at + day, 5)).map(({ position }) => position),
        [4],
      )
    })

    test('a position is needed while its events are to be delivered or may be replayed', async () => {
      const states = [
        'delivered',
        'pending',
        'held consent',
        'dead vendorDown',
        'refused payloadRefused',
        'dead erased',
      ]
      await store.journal.plan(states.map((each, n) => eventWith(n + 1, ['scr_1 skipped region', `scr_2 ${each}`])))
      assert.deepEqual(await store.journal.neededPositions(1, 9), [2, 3, 4, 5])
      assert.deepEqual(await store.journal.neededPositions(3, 4), [3, 4])
    })

    test('expired exchanges are dropped, those of failures later', async () => {
      const pack = (failed: boolean) => ({ tagId: 'tag_1', failed, at, sealed: bytes('x') })
      await store.journal.settle([], [pack(false), pack(true)])
      assert.equal(await expireAll({ bodiesMs: at, failedBodiesMs: at }), 0)
      assert.equal(await expireAll({ bodiesMs: at + 1 }), 1)
      assert.deepEqual(
        [await store.journal.exchangePack(1), !!(await store.journal.exchangePack(2))],
        [undefined, true],
      )
      assert.equal(await expireAll({ bodiesMs: at + 1, failedBodiesMs: at + 1 }), 1)
    })

    test('old counts are rolled up to hours, then to days, without loss', async () => {
      const minutes = Array.from({ length: 180 }, (_, n) => n)
      await store.journal.plan(
        minutes.map((n) => eventWith(n + 1, ['scr_1 delivered'], { receivedAt: at + n * 60_000 })),
      )
      const counts = (step: StatsRequest['step']) => stats({ from: at - day, step })
      const before = await counts('hour')
      assert.equal((await counts('minute')).series.length, 180)
      await expireAll({ hourlyRollupMs: at + day })
      const hours = (await counts('minute')).series.length
      assert.ok(hours <= 4, `${hours} steps are left of 180 minutes`)
      assert.deepEqual(await counts('hour'), before)
      await expireAll({ hourlyRollupMs: at + day, dailyRollupMs: at + 2 * day })
      const after = await counts('minute')
      assert.ok(after.series.length <= 2)
      assert.deepEqual([after.events.total, after.deliveries.total], [180, 180])
    })

    test('a malformed cursor is badRequest for every query', async () => {
      const isRefused = (problem: unknown) => problem instanceof Fault && problem.status === 400
      await assert.rejects(queries().deliveries('tag_1', {}, { limit: 5, cursor: 'nope' }), isRefused)
    })
  })
}
