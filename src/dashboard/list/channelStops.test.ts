import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Alert, AlertKind } from '#contract/alert.ts'
import { addedStops, channelStops } from './channelStops.ts'

const alertOf = (alertId: string, kind: AlertKind, scriptId = 'scr_1'): Alert => ({
  alertId,
  kind,
  tagId: 'tag_1',
  scriptId,
  reason: 'keyRejected',
  count: 1,
  since: 1,
  at: 1,
  sendings: [],
})
const idsOf = (alerts: readonly Alert[]) => alerts.map(({ alertId }) => alertId)

test('what stopped before the page was opened is not reported', () => {
  const first = channelStops(undefined, [alertOf('a', 'paused')])
  assert.deepEqual(first.open, [])
  assert.deepEqual(channelStops(first, [alertOf('a', 'paused')]).open, [])
})

test('a channel that stops is reported once, and is open until it goes on', () => {
  const first = channelStops(undefined, [])
  const stopped = channelStops(first, [alertOf('a', 'paused')])
  assert.deepEqual(idsOf(addedStops(first, stopped)), ['a'])
  const again = channelStops(stopped, [alertOf('a', 'paused')])
  assert.deepEqual([addedStops(stopped, again), idsOf(again.open)], [[], ['a']])
  const resumed = channelStops(again, [alertOf('b', 'resumed'), alertOf('a', 'paused')])
  assert.deepEqual(resumed.open, [])
})

test('a channel that stopped and went on between two readings is not reported', () => {
  const first = channelStops(undefined, [])
  const after = channelStops(first, [alertOf('b', 'resumed'), alertOf('a', 'paused')])
  assert.deepEqual(addedStops(first, after), [])
})

test('each channel is counted by itself, and deliveries that were given up are no stop', () => {
  const first = channelStops(undefined, [])
  const alerts = [alertOf('c', 'dead', 'scr_3'), alertOf('b', 'paused', 'scr_2'), alertOf('a', 'paused')]
  assert.deepEqual(idsOf(channelStops(first, alerts).open).sort(), ['a', 'b'])
})
