import assert from 'node:assert/strict'
import { test } from 'node:test'
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

test('the page lists memory, processor time and event loop delay of the process', async (t) => {
  const meter = openMeter()
  t.after(() => meter.close())
  const page = await meter.page()
  for (const name of ['process_resident_memory_bytes', 'process_cpu_seconds_total', 'aglet_event_loop_delay_seconds'])
    assert.match(page, new RegExp(`^${name} [0-9.e-]+$`, 'm'))
})
