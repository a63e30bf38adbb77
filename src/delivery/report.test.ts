import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Meter } from '#kit/meter.ts'
import type { PlannedDelivery, PlannedEvent } from '#store/store.ts'
import { turnedClock, until } from '../../test/fake/clock.ts'
import { aDelivery } from '../../test/fake/journal.ts'
import { countPending, makeReport } from './report.ts'

function house() {
  const counts: Record<string, number> = {}
  const gauges: Record<string, () => number> = {}
  const lines: Record<string, unknown>[] = []
  const meter: Meter = {
    counter: (name, _, labels) => ({
      add() {
        const key = [name, ...Object.values(labels ?? {})].join(' ')
        counts[key] = (counts[key] ?? 0) + 1
      },
    }),
    gauge(name, _, read) {
      gauges[name] = read
    },
  }
  const on = {
    meter,
    log: (line: Record<string, unknown>) => void lines.push(line),
    environment: 'production' as const,
  }
  return { on, counts, gauges, lines, report: makeReport(on) }
}
const planned = (status: PlannedDelivery['status'], reason?: 'consent') =>
  ({
    deliveries: [{ deliveryId: 'd', scriptId: 's', providerId: 'eventSink', status, ...(reason && { reason }) }],
  }) as unknown as PlannedEvent

test('deliveries are counted when they end, by status and reason', () => {
  const { report, counts } = house()
  report.planned([planned('pending'), planned('skipped', 'consent'), planned('skipped', 'consent')])
  report.attempted(aDelivery('dlv_1', 'scr_1'), { deliveryId: 'dlv_1', status: 'delivered' })
  report.attempted(aDelivery('dlv_2', 'scr_1'), {
    deliveryId: 'dlv_2',
    status: 'pending',
    reason: 'throttled',
    nextAt: 9,
  })
  assert.deepEqual(counts, {
    'aglet_deliveries_total production skipped consent': 2,
    'aglet_deliveries_total production delivered': 1,
    'aglet_attempts_total production eventSink delivered': 1,
    'aglet_attempts_total production eventSink throttled': 1,
  })
})

test('an attempt is one line: what, where, the how manieth, how it ended and when it is tried again', () => {
  const { report, lines } = house()
  const attempt = { deliveryId: 'dlv_1', number: 3, at: 1, durationMs: 20, httpStatus: 503, message: 'HTTP 503: x' }
  const settled = { deliveryId: 'dlv_1', status: 'pending', reason: 'vendorDown', nextAt: 9, attempt } as const
  report.attempted(aDelivery('dlv_1', 'scr_1', { attempts: 2 }), settled)
  assert.deepEqual(lines, [
    {
      message: 'attempt',
      environment: 'production',
      tagId: 'tag_1',
      scriptId: 'scr_1',
      providerId: 'eventSink',
      deliveryId: 'dlv_1',
      number: 3,
      status: 'pending',
      reason: 'vendorDown',
      httpStatus: 503,
      durationMs: 20,
      nextAt: 9,
    },
  ])
})

test('the number of pending deliveries is asked for every ten seconds and stays when it cannot be', async () => {
  const { on, gauges, lines } = house()
  const clock = turnedClock()
  const stop = new AbortController()
  const answers = [Promise.resolve(5), Promise.reject(new Error('disk')), Promise.resolve(7)]
  answers[1]!.catch(() => {})
  const store = { journal: { pending: () => answers.shift()! } } as never
  const counting = countPending({ ...on, store, clock }, stop.signal)
  const pending = () => gauges.aglet_deliveries_pending!()
  await until('it is counted', () => pending() === 5)
  await clock.turn(10_000)
  assert.deepEqual([pending(), lines.length], [5, 1])
  await clock.turn(10_000)
  await until('it is counted again', () => pending() === 7)
  stop.abort()
  await counting
})
