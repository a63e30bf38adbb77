import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Stats } from '#contract/stats.ts'
import { failureLines, intakeLines, latencyLines, marksIn } from './lines.ts'

const range = { from: 0, to: 180_000, step: 'minute' } as const

test('what came to a tag has a value for every step, and the refused calls of all codes are one line', () => {
  const series = [{ at: 60_000, accepted: 5, duplicate: 1, rejected: 2, refused: { ORIGIN_REFUSED: 3, OTHER: 4 } }]
  assert.deepEqual(intakeLines({ series }, range), {
    at: [0, 60_000, 120_000],
    values: { accepted: [0, 5, 0], duplicate: [0, 1, 0], rejected: [0, 2, 0], refused: [0, 7, 0] },
  })
})

test('a step without a measurement is a gap in the latency, not a zero', () => {
  const measured = { count: 3, p50Ms: 10, p95Ms: 20, p99Ms: 30 }
  const points = [{ latency: { response: measured } }, { latency: {} }]
  assert.deepEqual(
    latencyLines(points, 'response', (name) => name).map(({ name, values }) => [name, values]),
    [
      ['p50Ms', [10, null]],
      ['p95Ms', [20, null]],
      ['p99Ms', [30, null]],
    ],
  )
  assert.deepEqual(latencyLines(points, 'delivery', (name) => name)[0]?.values, [null, null])
})

const shares = { total: 0, perMinute: 0, latency: {} }
const scriptOf = (scriptId: string, delivered: number, dead: number): Stats['byScript'][number] => {
  const counts = { delivered, dead }
  return { scriptId, ...shares, counts, series: [{ at: 60_000, counts }] }
}

test('the failure rate stands for the five channels with the most failures, and nothing for those without', () =>
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(50), fc.nat(50)), { maxLength: 9 }), (pairs) => {
      const byScript = pairs.map(([delivered, dead], at) => scriptOf(`${at}`, delivered, dead))
      const lines = failureLines({ byScript, ...range }, (scriptId) => scriptId)
      assert.equal(lines.length, Math.min(pairs.filter(([, dead]) => dead > 0).length, 5))
      for (const { name, values } of lines) {
        const [delivered, dead] = pairs[Number(name)]!
        assert.deepEqual(values, [null, dead / (dead + delivered), null])
      }
    }),
  ))

test('a deployment belongs to the step in which it was made', () => {
  const marks = [
    { at: 59_999, name: '1' },
    { at: 60_000, name: '2' },
    { at: 119_999, name: '3' },
  ]
  assert.deepEqual(
    marksIn(marks, 60_000, 'minute').map(({ name }) => name),
    ['2', '3'],
  )
})
