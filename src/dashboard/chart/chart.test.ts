import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { reasons, statuses } from '#contract/deliveryStatus.ts'
import { funnelRows } from './funnel.ts'
import { changeOf, msOf, rangeBefore, rangeOf, ranges, selectedRange, stepOf } from './range.ts'
import { fillSteps, groupLines, sparkPath, stack } from './series.ts'

const now = 1_795_400_000_000

test('a chart has at most 300 points, whatever the range', () =>
  fc.assert(
    fc.property(fc.integer({ min: 60_000, max: 300 * 86_400_000 }), (lengthMs) => {
      const range = { from: now - lengthMs, to: now, step: stepOf(lengthMs) }
      const points = fillSteps([], range, (at) => ({ at }))
      assert.ok(points.length <= 300 && points.length >= 1)
      assert.equal((points[0]?.at ?? 0) % msOf(range.step), 0)
    }),
  ))

test('a range comes from its times in the address, else from its name, else from the fallback', () => {
  assert.deepEqual(rangeOf({ from: '1000', to: '61000' }, now), { from: 1_000, to: 61_000, step: 'minute' })
  const week = rangeOf({ range: '7d' }, now)
  assert.deepEqual([week.to - week.from, week.step], [ranges['7d'], 'hour'])
  assert.equal(rangeOf({ range: 'x', from: '5', to: '1' }, now, '24h').step, 'hour')
  assert.deepEqual(rangeBefore({ from: 100, to: 150, step: 'minute' }), { from: 50, to: 100, step: 'minute' })
})

test('a selection covers whole steps, at least one', () => {
  assert.deepEqual(selectedRange(61_000, 61_001, 'minute'), { from: 60_000, to: 120_000 })
  assert.deepEqual(selectedRange(60_000, 60_000, 'minute'), { from: 60_000, to: 120_000 })
})

test('a step without events is there with nothing', () => {
  const points = fillSteps([{ at: 60_000, n: 5 }], { from: 0, to: 180_000, step: 'minute' }, (at) => ({ at, n: 0 }))
  assert.deepEqual(
    points.map(({ n }) => n),
    [0, 5, 0],
  )
})

test('stacked lines end at the sum of all', () => {
  const points = [
    { at: 0, counts: { delivered: 3, dead: 1 } },
    { at: 1, counts: { dead: 2 } },
  ]
  const groups = [
    { name: 'good', statuses: ['delivered', 'simulated'] as const },
    { name: 'bad', statuses: ['dead'] as const },
  ]
  const lines = stack(groupLines(points as { at: number; counts: Record<string, number> }[], groups))
  assert.deepEqual(
    lines.map(({ values }) => values),
    [
      [3, 0],
      [4, 2],
    ],
  )
})

test('the rows of a funnel add up to its parts', () =>
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          status: fc.constantFrom(...statuses),
          reason: fc.constantFrom(undefined, ...reasons),
          count: fc.nat(1_000),
        }),
      ),
      (parts) => {
        const sum = (list: { count: number }[]) => list.reduce((all, { count }) => all + count, 0)
        assert.equal(sum(funnelRows(parts)), sum(parts))
      },
    ),
  ))

test('a change needs something before; a sparkline needs something to show', () => {
  assert.deepEqual([changeOf(12, 10), changeOf(1, 0), changeOf(1, undefined)], [0.2, undefined, undefined])
  assert.deepEqual([sparkPath([]), sparkPath([0, 0])], [undefined, undefined])
  assert.equal(sparkPath([0, 2]), 'M0.0 23.0L100.0 1.0')
})
