import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMeter } from '#kit/meter.ts'
import { flushSizes } from './flushSizes.ts'

test('the sizes of commits are counted by kind, in buckets of rows', async (t) => {
  const meter = openMeter()
  t.after(meter.close)
  for (const rows of [1, 40, 500]) flushSizes(meter, 'events').record(rows)
  flushSizes(meter, 'outcomes').record(3)
  const page = await meter.page()
  const events = (le: string) =>
    new RegExp(`^aglet_flush_rows_bucket\\{of="events",le="${RegExp.escape(le)}"\\} (\\d+)$`, 'm').exec(page)?.[1]
  assert.deepEqual(['1', '20', '50', '200', '500', '+Inf'].map(events), ['1', '1', '2', '2', '3', '3'])
  assert.match(page, /^aglet_flush_rows_sum\{of="outcomes"\} 3$/m)
})
