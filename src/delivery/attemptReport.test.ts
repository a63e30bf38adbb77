import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IntakeLog } from '#journal/intakeLog.ts'
import type { Meter } from '#kit/meter.ts'
import type { PlannedDelivery, PlannedEvent } from '#store/store.ts'
import { turnedClock, until } from '../../test/fake/clock.ts'
import { aDelivery } from '../../test/fake/journal.ts'
import { countPending, createAttemptReport } from './attemptReport.ts'

function openReport() {
  const counts: Record<string, number> = {}
  const gauges: Record<string, () => number> = {}
  const lines: Record<string, unknown>[] = []
  const latencies: string[] = []
  const durations: string[] = []
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
    histogram: (name, _help, _bounds, labels) => ({
      record: (seconds) => void durations.push([name, ...Object.values(labels ?? {}), seconds].join(' ')),
    }),
  }
  const deps = {
    meter,
    log: (line: Record<string, unknown>) => void lines.push(line),
    environment: 'production' as const,
    intakeLog: {
      addLatency: (of, kind, ms) => void latencies.push(`${of.scriptId} ${kind} ${ms}`),
      addMatch() {},
    } satisfies Pick<IntakeLog, 'addLatency' | 'addMatch'>,
  }
  return { deps, counts, gauges, lines, latencies, durations, report: createAttemptReport(deps) }
}
const planned = (status: PlannedDelivery['status'], reason?: 'consent') =>
  ({
    deliveries: [{ deliveryId: 'd', scriptId: 's', providerId: 'eventSink', status, ...(reason && { reason }) }],
  }) as unknown as PlannedEvent

test('a delivery is counted by status and reason when it reaches a final status', () => {
  const { report, counts } = openReport()
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

test('the latency of each answer is counted, and that of each delivery that is no replay', () => {
  const { report, latencies, durations } = openReport()
  const attempt = { deliveryId: 'dlv_1', number: 1, at: 500, durationMs: 20 }
  const delivery = aDelivery('dlv_1', 'scr_1', { receivedAt: 100 })
  const down = { ...attempt, httpStatus: 503 }
  report.attempted(delivery, { deliveryId: 'dlv_1', status: 'pending', reason: 'vendorDown', attempt: down })
  report.attempted(delivery, { deliveryId: 'dlv_1', status: 'pending', reason: 'vendorDown', attempt })
  report.attempted(delivery, { deliveryId: 'dlv_1', status: 'delivered', attempt: { ...attempt, httpStatus: 200 } })
  report.attempted({ ...delivery, priority: 'replay' }, { deliveryId: 'dlv_1', status: 'delivered', attempt })
  report.attempted(delivery, { deliveryId: 'dlv_1', status: 'dead', reason: 'expired' })
  assert.deepEqual(latencies, ['scr_1 response 20', 'scr_1 response 20', 'scr_1 delivery 420'])
  assert.deepEqual(durations, ['aglet_delivery_duration_seconds production eventSink 0.42'])
})

test('an attempt is logged in one line with its channel, number, outcome and next time', () => {
  const { report, lines } = openReport()
  const attempt = { deliveryId: 'dlv_1', number: 3, at: 1, durationMs: 20, httpStatus: 503, message: 'HTTP 503: x' }
  const outcome = { deliveryId: 'dlv_1', status: 'pending', reason: 'vendorDown', nextAt: 9, attempt } as const
  report.attempted(aDelivery('dlv_1', 'scr_1', { attempts: 2 }), outcome)
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

test('the number of pending deliveries is read every ten seconds and keeps its value if the read fails', async () => {
  const { deps, gauges, lines } = openReport()
  const clock = turnedClock()
  const stop = new AbortController()
  const answers = [Promise.resolve(5), Promise.reject(new Error('disk')), Promise.resolve(7)]
  answers[1]!.catch(() => {})
  const store = { journal: { pendingCount: () => answers.shift()! } } as never
  const counting = countPending({ ...deps, store, clock }, stop.signal)
  const pending = () => gauges.aglet_deliveries_pending!()
  await until('it is counted', () => pending() === 5)
  await clock.turn(10_000)
  assert.deepEqual([pending(), lines.length], [5, 1])
  await clock.turn(10_000)
  await until('it is counted again', () => pending() === 7)
  stop.abort()
  await counting
})
