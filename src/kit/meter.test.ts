import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../test/fake/clock.ts'
import { openMeter } from './meter.ts'

test('the page lists counters by name and labels, and reads gauges on request', async (t) => {
  const meter = openMeter()
  t.after(() => meter.close())
  const accepted = meter.counter('aglet_events_total', 'Events.', { environment: 'production', status: 'accepted' })
  accepted.add()
  accepted.add(2)
  meter.counter('aglet_events_total', 'Events.', { status: 'accepted', environment: 'production' }).add()
  meter.counter('aglet_events_total', 'Events.', { environment: 'sandbox', status: 'accepted' }).add()
  let waiting = 5
  meter.gauge('aglet_waiting', 'Waiting.', () => waiting)
  assert.match(await meter.page(), /^aglet_events_total\{environment="production",status="accepted"\} 4$/m)
  waiting = 6
  const page = await meter.page()
  assert.match(page, /^aglet_events_total\{environment="sandbox",status="accepted"\} 1$/m)
  assert.match(page, /^# TYPE aglet_events_total counter$/m)
  assert.match(page, /^aglet_waiting 6$/m)
})

test('the page lists memory and processor time of the process', async (t) => {
  const meter = openMeter()
  t.after(() => meter.close())
  const page = await meter.page()
  for (const name of ['process_resident_memory_bytes', 'process_cpu_seconds_total'])
    assert.match(page, new RegExp(`^${name} [0-9.e-]+$`, 'm'))
})

const seriesValue = (page: string, series: string): number => {
  const line = page.split('\n').find((each) => each.startsWith(`${series} `))
  assert.ok(line, series)
  return Number(line.slice(series.length))
}

test('a histogram counts each duration in its bucket and in all larger ones, by label', async (t) => {
  const meter = openMeter()
  t.after(() => meter.close())
  const of = (provider: string) => meter.histogram('aglet_x_seconds', 'X.', [0.1, 1], { provider })
  of('facebook').record(0.05)
  of('facebook').record(0.5)
  of('tiktok').record(7)
  of('tiktok').record(-1)
  const page = await meter.page()
  assert.match(page, /^# TYPE aglet_x_seconds histogram$/m)
  const buckets = (provider: string) =>
    ['0.1', '1', '+Inf'].map((le) => seriesValue(page, `aglet_x_seconds_bucket{provider="${provider}",le="${le}"}`))
  assert.deepEqual(
    [buckets('facebook'), buckets('tiktok')],
    [
      [1, 2, 2],
      [1, 1, 2],
    ],
  )
  assert.equal(seriesValue(page, 'aglet_x_seconds_count{provider="facebook"}'), 2)
  assert.equal(seriesValue(page, 'aglet_x_seconds_sum{provider="facebook"}'), 0.55)
})

test('no read of the page changes a value: the delay of the event loop is counted since the start', async (t) => {
  const meter = openMeter()
  t.after(() => meter.close())
  const once = meter.histogram('aglet_x_seconds', 'X.', [1], {})
  once.record(0.5)
  const count = async () => seriesValue(await meter.page(), 'aglet_event_loop_delay_seconds_count')
  await until('the delay is sampled', async () =>
    /^aglet_event_loop_delay_seconds_count [1-9]/m.test(await meter.page()),
  )
  const first = await count()
  assert.ok((await count()) >= first)
  assert.equal(seriesValue(await meter.page(), 'aglet_x_seconds_count'), 1)
})
