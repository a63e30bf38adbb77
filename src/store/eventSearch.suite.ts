import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { DeliveryReason, DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { DeliveryFilter } from './deliveryQueries.ts'
import { keptHosts, keptRefusals } from './intake.ts'
import { dropAllExpired } from './retention.fixture.ts'
import { allPages, at, baseChanges, deployment, idOf, plannedEvent, type StoreLocation } from './store.fixture.ts'
import type { DeliveryOutcome, PlannedDelivery, PlannedEvent, Store } from './store.ts'

const minuteMs = 60_000

/** An event with one delivery for each of these texts, such as `scr_1 dead vendorDown`. */
function eventWith(position: number, texts: readonly string[], overrides: Partial<PlannedEvent> = {}): PlannedEvent {
  const deliveries = texts.map((text): PlannedDelivery => {
    const [scriptId, status, reason] = text.split(' ') as [string, DeliveryStatus, DeliveryReason | undefined]
    const deliveryId = idOf(position, 0, scriptId, overrides.receivedAt)
    return { deliveryId, scriptId, providerId: 'eventSink', status, ...(reason && { reason }) }
  })
  return plannedEvent(position, { ...overrides, deliveries })
}

const settled = (deliveryId: string, httpStatus: number, more: Partial<DeliveryOutcome> = {}): DeliveryOutcome => ({
  deliveryId,
  status: 'delivered',
  attempt: { deliveryId, number: 1, at: at + minuteMs, durationMs: 5, httpStatus, message: `HTTP ${httpStatus}` },
  ...more,
})

/** The laws of every store for the searches and sums that a dashboard repeats. */
export function eventSearchLaws(createLocation: () => Promise<StoreLocation>): void {
  describe('searches', () => {
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
    const events = async (filter: DeliveryFilter, limit = 2) =>
      (await allPages(limit, (page) => queries().events('tag_1', filter, page))).map(({ position }) => position)
    const deliveries = async (filter: DeliveryFilter) =>
      (await allPages(2, (page) => queries().deliveries('tag_1', filter, page))).map(({ deliveryId }) => deliveryId)

    test('the first event of a user is found as soon as it is planned, in its own tag only', async () => {
      const events = [7, 5, 6].map((position) => ({ ...plannedEvent(position), userId: 'usr_7' }))
      assert.equal(await store.journal.firstEventOf('tag_1', 'usr_7'), undefined)
      await store.journal.plan(events)
      const { position, index, userId, place } = (await store.journal.firstEventOf('tag_1', 'usr_7'))!
      assert.deepEqual(
        { position, index, userId, place },
        { position: 5, index: 0, userId: 'usr_7', place: events[0]!.place },
      )
      assert.equal(await store.journal.firstEventOf('tag_2', 'usr_7'), undefined)
    })

    test('events are found by name, user, time, and by script, status and reason of their deliveries, each once', async () => {
      await store.journal.plan([
        eventWith(1, ['scr_1 delivered', 'scr_2 dead vendorDown'], { eventName: 'PageView' }),
        eventWith(2, ['scr_1 skipped consent', 'scr_2 skipped consent'], {
          userId: 'usr_2',
          receivedAt: at + minuteMs,
        }),
        eventWith(3, [], { receivedAt: at + 10 * minuteMs }),
        eventWith(4, ['scr_1 dead poison', 'scr_2 dead poison'], { userId: 'usr_2', receivedAt: at + 20 * minuteMs }),
        eventWith(5, ['scr_1 delivered'], { tagId: 'tag_2' }),
      ])
      for (const limit of [1, 2, 50]) {
        assert.deepEqual(await events({}, limit), [4, 3, 2, 1])
        assert.deepEqual(await events({ eventName: 'PageView' }, limit), [1])
        assert.deepEqual(await events({ userId: 'usr_2' }, limit), [4, 2])
        assert.deepEqual(await events({ userId: 'usr_2', eventName: 'PageView' }, limit), [])
        assert.deepEqual(await events({ fromMs: at + minuteMs, toMs: at + 11 * minuteMs }, limit), [3, 2])
        assert.deepEqual(await events({ statuses: ['dead'] }, limit), [4, 1])
        assert.deepEqual(await events({ statuses: ['dead', 'skipped'], scriptId: 'scr_1' }, limit), [4, 2])
        assert.deepEqual(await events({ reasons: ['consent', 'vendorDown'] }, limit), [2, 1])
        assert.deepEqual(await events({ userId: 'usr_2', statuses: ['dead'] }, limit), [4])
      }
    })

    test('events and deliveries are found by the fingerprint of their order id and by people, also joined ones', async () => {
      await store.journal.plan([
        eventWith(1, ['scr_1 delivered'], { orderHash: 'aa', userId: 'usr_2' }),
        eventWith(2, ['scr_1 delivered']),
        eventWith(3, ['scr_1 dead poison'], { orderHash: 'aa' }),
        eventWith(4, ['scr_1 delivered'], { orderHash: 'bb', userId: 'usr_3', emailMatch: 'usr_2' }),
        eventWith(5, ['scr_1 delivered'], { orderHash: 'aa', tagId: 'tag_2' }),
      ])
      for (const limit of [1, 50]) {
        assert.deepEqual(await events({ orderHash: 'aa' }, limit), [3, 1])
        assert.deepEqual(await events({ orderHash: 'aa', userId: 'usr_2' }, limit), [1])
        assert.deepEqual(await events({ orderHash: 'aa', statuses: ['dead'] }, limit), [3])
        for (const people of [['usr_2'], ['usr_2', 'usr_3']]) assert.deepEqual(await events({ people }, limit), [4, 1])
      }
      assert.deepEqual(await deliveries({ people: ['usr_2', 'usr_3'] }), [idOf(4, 0, 'scr_1'), idOf(1, 0, 'scr_1')])
      assert.deepEqual(await deliveries({ orderHash: 'aa' }), [idOf(3, 0, 'scr_1'), idOf(1, 0, 'scr_1')])
      await store.write([{ erase: 'events', events: [{ tagId: 'tag_1', position: 3, index: 0 }] }])
      assert.deepEqual(await events({ orderHash: 'aa' }), [1])
    })

    test('an event of a list has its deliveries counted by status', async () => {
      await store.journal.plan([eventWith(1, ['scr_1 delivered', 'scr_2 dead poison', 'scr_3 delivered'])])
      const { rows } = await queries().events('tag_1', {}, { limit: 5 })
      assert.deepEqual(rows, [
        {
          position: 1,
          index: 0,
          eventName: 'Purchase',
          userId: 'usr_1',
          receivedAt: at + 1,
          counts: { delivered: 2, dead: 1 },
        },
      ])
    })

    test('deliveries are found by user and by the HTTP status of the last response', async () => {
      await store.journal.plan([
        eventWith(1, ['scr_1 pending', 'scr_2 pending']),
        eventWith(2, ['scr_1 pending'], { userId: 'usr_2' }),
      ])
      await store.journal.settle([settled(idOf(1, 0, 'scr_1'), 200), settled(idOf(2, 0, 'scr_1'), 202)])
      assert.deepEqual(await deliveries({ userId: 'usr_2' }), [idOf(2, 0, 'scr_1')])
      assert.deepEqual(await deliveries({ httpStatuses: [200] }), [idOf(1, 0, 'scr_1')])
      assert.deepEqual(await deliveries({ httpStatuses: [200, 202] }), [idOf(2, 0, 'scr_1'), idOf(1, 0, 'scr_1')])
      assert.deepEqual(await deliveries({ httpStatuses: [503] }), [])
      assert.equal((await queries().deliveries('tag_1', {}, { limit: 1 })).rows[0]?.userId, 'usr_2')
    })

    test('a channel has what waits, its last delivery and its last error', async () => {
      await store.journal.plan([
        eventWith(1, ['scr_1 pending']),
        eventWith(2, ['scr_1 pending']),
        eventWith(3, ['scr_1 pending']),
        eventWith(4, ['scr_1 held consent', 'scr_2 skipped consent']),
      ])
      const again = { status: 'pending', reason: 'vendorDown', nextAt: at + 99, at: at + 70 } as const
      await store.journal.settle([
        settled(idOf(1, 0, 'scr_1'), 200, { at: at + 60 }),
        settled(idOf(2, 0, 'scr_1'), 503, again),
      ])
      assert.deepEqual(await queries().channels('tag_1', ['scr_1', 'scr_2', 'scr_9']), [
        {
          scriptId: 'scr_1',
          waiting: 2,
          held: 1,
          oldestAt: at + 2,
          nextAt: at + 3,
          lastDeliveredAt: at + 60,
          lastError: {
            at: at + 70,
            deliveryId: idOf(2, 0, 'scr_1'),
            position: 2,
            index: 0,
            status: 'pending',
            reason: 'vendorDown',
            httpStatus: 503,
            message: 'HTTP 503',
          },
        },
        { scriptId: 'scr_2', waiting: 0, held: 0 },
        { scriptId: 'scr_9', waiting: 0, held: 0 },
      ])
    })

    test('the parts of a funnel are how the deliveries of exactly the events of its range stand, and add up', async () => {
      const states = 'delivered,dead poison,skipped consent,skipped region,pending,refused payloadRefused'.split(',')
      // positions in several blocks of the funnel counts, with another tag in between
      const planned = Array.from({ length: 240 }, (_, n) =>
        eventWith(n * 9 + 1, [`scr_1 ${states[n % 6]}`, `scr_2 ${states[(n * 5) % 6]}`], {
          receivedAt: at + n * 5_000,
        }),
      )
      const others = [2, 700, 2_000].map((position) => eventWith(position, ['scr_3 delivered'], { tagId: 'tag_2' }))
      await store.journal.plan([...planned, ...others])
      const stands = new Map(
        planned.flatMap(({ deliveries }, n) =>
          deliveries.map(({ deliveryId, scriptId, status, reason }) => {
            return [
              deliveryId,
              { n, scriptId, status: status as string, reason: reason as string | undefined },
            ] as const
          }),
        ),
      )
      const ranges = [
        [0, 240],
        [13, 200],
        [100, 104],
        [230, 900],
        [300, 400],
      ] as const
      const sum = (rows: readonly { count: number }[]) => rows.reduce((all, { count }) => all + count, 0)
      const check = async () => {
        for (const [first, end] of ranges) {
          const funnel = await queries().funnel('tag_1', { from: at + first * 5_000, to: at + end * 5_000 })
          const inside = [...stands.values()].filter(({ n }) => n >= first && n < end)
          const expected = new Map<string, number>()
          for (const { scriptId, status, reason } of inside) {
            const key = `${scriptId} ${status} ${reason}`
            expected.set(key, (expected.get(key) ?? 0) + 1)
          }
          const found = funnel.byScript.flatMap(({ scriptId, parts }) =>
            parts.map(({ status, reason, count }) => [`${scriptId} ${status} ${reason}`, count] as const),
          )
          assert.deepEqual(new Map(found.toSorted()), new Map([...expected].toSorted()))
          assert.deepEqual([funnel.events, funnel.planned], [inside.length / 2, inside.length])
          assert.equal(sum(funnel.parts), funnel.planned)
          for (const row of funnel.byScript) assert.equal(sum(row.parts), row.planned)
        }
      }
      await check()
      const open = await queries().funnel('tag_1', { from: at, to: Number.POSITIVE_INFINITY, scriptId: 'scr_2' })
      assert.deepEqual([open.events, open.planned, open.byScript.length], [240, 240, 1])

      const replayed = planned.slice(0, 200).flatMap((event) => {
        const { tagId, position, index } = event
        return event.deliveries
          .filter(({ status }) => status !== 'pending')
          .map((delivery) => ({ ...delivery, tagId, position, index, nextAt: at }))
      })
      await store.journal.replay(replayed)
      for (const stand of stands.values())
        if (stand.n < 200) Object.assign(stand, { status: 'pending', reason: undefined })
      await check()
      const ended = [...stands].filter(([, { n }]) => n % 3 === 0 && n < 200)
      await store.journal.settle(ended.map(([deliveryId]) => ({ deliveryId, status: 'dead', reason: 'expired' })))
      for (const [, stand] of ended) Object.assign(stand, { status: 'dead', reason: 'expired' })
      await check()
    })

    test('the counts of several tags are summed by step', async () => {
      await store.journal.plan([eventWith(1, ['scr_1 delivered', 'scr_2 dead poison'])])
      await store.journal.plan([eventWith(2, ['scr_1 delivered'], { tagId: 'tag_2' })])
      const range = { from: at - minuteMs, to: at + minuteMs, step: 'hour' } as const
      const counts = await queries().teamCounts(['tag_1', 'tag_2', 'tag_9'], range)
      const totals = counts.map(({ events: rows, deliveries: of }) => [rows, of].map((each) => each.length))
      assert.deepEqual(totals, [
        [1, 2],
        [1, 1],
        [0, 0],
      ])
      assert.deepEqual(counts[0]?.events[0]?.count, 1)
    })

    test('latencies are summed to percentiles, of all, by script and by step', async () => {
      const latency = (scriptId: string, bucket: number, count: number) => {
        return { tagId: 'tag_1', scriptId, at, kind: 'response', bucket, count } as const
      }
      const latencies = [latency('scr_1', 8, 90), latency('scr_1', 24, 10), latency('scr_2', 16, 5)]
      const batch = { counts: [], latencies, refusals: [], seen: [], repeats: [], matches: [] }
      await store.write([{ add: 'intake', batch }])
      await store.write([{ add: 'intake', batch: { ...batch, latencies: [latency('scr_2', 16, 5)] } }])
      await store.journal.plan([eventWith(1, ['scr_1 delivered', 'scr_2 delivered'])])
      const request = { from: at - minuteMs, to: at + minuteMs, step: 'minute' } as const
      const stats = await queries().stats('tag_1', { ...request, hasScriptSeries: true })
      const { response, delivery } = stats.latency
      assert.deepEqual([response?.count, delivery], [110, undefined])
      assert.deepEqual(
        response?.buckets,
        [
          { toMs: 10, count: 90 },
          { toMs: 100, count: 10 },
          { toMs: 1000, count: 10 },
        ].map(({ toMs, count }) => ({ toMs, count })),
      )
      const ofScript = new Map(stats.byScript.map((row) => [row.scriptId, row]))
      assert.equal(ofScript.get('scr_2')?.latency.response?.count, 10)
      assert.ok((ofScript.get('scr_1')?.latency.response?.p50Ms ?? 99) <= 10)
      assert.deepEqual(
        ofScript.get('scr_1')?.series?.map(({ counts }) => counts),
        [{ delivered: 1 }],
      )
      assert.equal(stats.series.find(({ latency: each }) => each.response)?.latency.response?.count, 110)
      const one = await queries().stats('tag_1', { ...request, scriptId: 'scr_2' })
      assert.equal(one.latency.response?.count, 10)
    })

    test('of the intake of a tag the counts, the last 100 refusals and the last 50 hosts are kept', async () => {
      const counts = [
        { tagId: 'tag_1', at, code: 'accepted', count: 3 },
        { tagId: 'tag_1', at, code: 'ORIGIN_REFUSED', count: 200 },
      ]
      const refusals = Array.from({ length: 150 }, (_, n) => {
        return { tagId: 'tag_1', number: n + 1, at: at + n, code: 'ORIGIN_REFUSED', method: 'POST', path: '/tag' }
      })
      const seen = Array.from({ length: 60 }, (_, n) => {
        return { tagId: 'tag_1', call: 'tag', at: at + n, host: `h${n}.example.com` } as const
      })
      const server = { tagId: 'tag_1', call: 'load', at, sdkVersion: '1.0.0' } as const
      await store.write([
        {
          add: 'intake',
          batch: { counts, latencies: [], refusals, seen: [...seen, server], repeats: [], matches: [] },
        },
      ])
      await store.write([
        { add: 'intake', batch: { counts, latencies: [], refusals: [], seen: [], repeats: [], matches: [] } },
      ])
      const intake = await queries().intake('tag_1', { from: at - minuteMs, to: at + minuteMs, step: 'day' })
      assert.deepEqual(
        intake.counts.map(({ code, count }) => [code, count]),
        [
          ['ORIGIN_REFUSED', 400],
          ['accepted', 6],
        ],
      )
      assert.equal(intake.refusals.length, keptRefusals)
      assert.deepEqual(intake.refusals[0], { at: at + 149, code: 'ORIGIN_REFUSED', method: 'POST', path: '/tag' })
      assert.equal(intake.seen.length, keptHosts + 1)
      assert.deepEqual(intake.seen[0], { call: 'tag', at: at + 59, host: 'h59.example.com' })
      assert.deepEqual(intake.seen.at(-1), { call: 'load', at, sdkVersion: '1.0.0' })
    })

    test('the counts of match keys add up over writes, hours and sources, and the last example is kept', async () => {
      const hourMs = 60 * minuteMs
      const start = Math.floor(at / hourMs) * hourMs
      const count = (what: string, hour: number, source: 'browser' | 'server', more: object = {}) => {
        const row = {
          tagId: 'tag_1',
          scriptId: 'scr_1',
          at: start + hour * hourMs + 5,
          eventName: 'Purchase',
          source,
          what,
        }
        return { ...row, count: 2, ...more }
      }
      const example = (position: number) => ({ example: { position, index: 1 } })
      const first = [count('events', 0, 'browser'), count('finding VALUE_ZERO', 0, 'browser', example(4))]
      const second = [
        ...[count('events', 0, 'browser'), count('events', 1, 'server'), count('key em', 1, 'server')],
        ...[count('events', 0, 'server', { scriptId: 'scr_2' }), count('events', 0, 'server', { eventName: 'Lead' })],
        count('finding VALUE_ZERO', 1, 'browser', example(7)),
      ]
      const empty = { counts: [], latencies: [], refusals: [], seen: [], repeats: [] }
      for (const matches of [first, second]) await store.write([{ add: 'intake', batch: { ...empty, matches } }])
      const range = { from: start, to: start + 2 * hourMs }
      const whole = await queries().matches('tag_1', range)
      const countsOf = (rows: readonly { what: string; count: number }[]) =>
        Object.fromEntries(
          [...Map.groupBy(rows, ({ what }) => what)].map(([what, own]) => [
            what,
            own.reduce((sum, row) => sum + row.count, 0),
          ]),
        )
      assert.deepEqual(countsOf(whole.sums), { events: 10, 'key em': 2, 'finding VALUE_ZERO': 4 })
      assert.deepEqual(whole.steps, [])
      assert.deepEqual(whole.examples, [{ scriptId: 'scr_1', what: 'finding VALUE_ZERO', position: 7, index: 1 }])
      const one = await queries().matches('tag_1', { ...range, scriptId: 'scr_1', eventName: 'Purchase', step: 'hour' })
      assert.deepEqual(countsOf(one.sums), { events: 6, 'key em': 2, 'finding VALUE_ZERO': 4 })
      assert.deepEqual(one.steps, [
        { scriptId: 'scr_1', at: start, what: 'events', count: 4 },
        { scriptId: 'scr_1', at: start + hourMs, what: 'events', count: 2 },
        { scriptId: 'scr_1', at: start + hourMs, what: 'key em', count: 2 },
      ])
      const later = await queries().matches('tag_1', { from: start + hourMs, to: start + 2 * hourMs })
      assert.deepEqual(countsOf(later.sums), { events: 2, 'key em': 2, 'finding VALUE_ZERO': 2 })
      assert.deepEqual((await queries().matches('tag_2', range)).sums, [])
      assert.deepEqual((await queries().matches('tag_1', { ...range, scriptId: 'scr_9' })).sums, [])
    })

    test('an event that came again is counted by its key, until it is older than the journal', async () => {
      const repeat = { tagId: 'tag_1', key: 2n ** 63n + 5n, at, count: 2 }
      const batch = { counts: [], latencies: [], refusals: [], seen: [], repeats: [repeat], matches: [] }
      for (let n = 0; n < 2; n++) await store.write([{ add: 'intake', batch }])
      assert.equal(await store.journal.repeats('tag_1', [repeat.key, 7n]), 4)
      assert.equal(await store.journal.repeats('tag_2', [repeat.key]), 0)
      const cutoffs = {
        failuresMs: 0,
        bodiesMs: 0,
        failedBodiesMs: 0,
        keptDeployments: 9,
        hourlyRollupMs: 0,
        dailyRollupMs: 0,
      }
      const expire = async (journalMs: number) => {
        await dropAllExpired(store.journal, { ...cutoffs, journalMs })
        return store.journal.repeats('tag_1', [repeat.key])
      }
      assert.deepEqual([await expire(at), await expire(at + 1)], [4, 0])
    })

    test('the deployment of a time is the last one made until then', async () => {
      await store.write([...baseChanges, ...[1, 2].map((n) => ({ add: 'deployment' as const, row: deployment(n) }))])
      const numbers = await Promise.all([0, 1, 2, 9].map((ms) => store.deploymentAt('tag_1', at + ms)))
      assert.deepEqual(
        numbers.map((row) => row?.number),
        [undefined, 1, 2, 2],
      )
    })
  })
}
