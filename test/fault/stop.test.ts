import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../fake/aglet.ts'
import { figuresOf, openFaultRig, report } from './faultRig.ts'
import { seed } from './random.ts'

const stops = Number(process.env.STOPS ?? 2)
const drainMs = 30_000
const manyMs = 180_000
/** No listener was left, so no request was made that could be lost. */
const nobodyThere = new Set(['503', 'ECONNREFUSED'])

test(`SIGTERM under load: it ends in 30 s, callers see nothing but answers and 503, and nothing comes twice (SEED=${seed})`, async (t) => {
  const place = await openFaultRig({ name: 'stop' })
  const { sender } = place
  let slowestMs = 0
  for (let n = 0; n < stops; n++) {
    const enough = sender.accepted.size + 300
    await until(() => sender.accepted.size > enough, manyMs)
    const begun = performance.now()
    assert.equal(await place.stop('SIGTERM'), 0)
    slowestMs = Math.max(slowestMs, performance.now() - begun)
    await place.start()
  }
  const verdict = await place.verdict()
  const others = [...sender.failed].filter(([how]) => !nobodyThere.has(how))
  report(t, 'SIGTERM', {
    times: stops,
    ...figuresOf(verdict),
    slowestStopMs: Math.round(slowestMs),
    failed: JSON.stringify([...sender.failed]),
  })
  assert.ok(slowestMs <= drainMs, `it took ${slowestMs} ms`)
  assert.deepEqual(verdict.lost, [])
  assert.deepEqual(verdict.phantom, [])
  assert.equal(verdict.repeated, 0)
  assert.deepEqual(others, [])
})
