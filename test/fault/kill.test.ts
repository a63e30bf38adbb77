import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../fake/aglet.ts'
import { figuresOf, inFlight, openFaultRig, type Restart, report } from './faultRig.ts'
import { random, seed } from './random.ts'

const kills = Number(process.env.KILLS ?? 10)
const restartMs = 5_000
const manyMs = 120_000

test(`after ${kills} × kill -9 at random moments under load no accepted event is lost (SEED=${seed})`, async (t) => {
  const next = random(seed)
  const place = await openFaultRig({ name: 'kill' })
  const { sender } = place
  const restarts: Restart[] = []
  for (let n = 0; n < kills; n++) {
    const enough = sender.accepted.size + 50 + next() * 500
    await until(() => sender.accepted.size > enough, manyMs)
    await place.stop('SIGKILL')
    // Sometimes, and at the last, it is killed again during recovery.
    if (n === kills - 1 || next() < 0.2) await place.startAndKill(next() * 2_000)
    restarts.push(await place.start())
  }
  const verdict = await place.verdict()
  const cpuMs = Math.max(...restarts.map((each) => each.cpuMs))
  const wallMs = Math.max(...restarts.map((each) => each.wallMs))
  report(t, 'kill -9', {
    times: kills,
    ...figuresOf(verdict),
    slowestRestartMs: Math.round(wallMs),
    slowestRestartCpuMs: cpuMs,
  })
  assert.deepEqual(verdict.lost, [])
  assert.deepEqual(verdict.phantom, [])
  assert.ok(verdict.repeated <= kills * inFlight, `${verdict.repeated} repeated: more than could be in flight`)
  // CPU time is measured, because elapsed time varies on a busy machine.
  assert.ok(cpuMs <= restartMs, `a restart took ${cpuMs} ms of processor time`)
})
