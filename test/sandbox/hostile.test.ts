import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as after } from 'node:timers/promises'
import { attack, openAttackRig, runNeighbour } from './attackRig.ts'
import { endless, hostile } from './hostile/all.ts'

/** How often each program runs. An endless one runs once: the same limit ends it in the same way each time. */
const times = Number(process.env.HOSTILE_TIMES ?? 1)
const atOnce = 2

test(`${hostile.length} hostile programs end in time and read no canary, and the runs of another team continue`, async (t) => {
  assert.ok(hostile.length >= 100)
  assert.equal(new Set(hostile.map(({ title }) => title)).size, hostile.length)
  const rig = await openAttackRig()
  t.after(() => rig.close())
  const others = hostile.filter((each) => !endless.includes(each))
  const left = [...hostile, ...Array.from({ length: times - 1 }, () => others).flat()]
  const failures: string[] = []
  const attacker = async () => {
    for (let each = left.shift(); each; each = left.shift())
      await attack(rig, each).catch(({ message }) => void failures.push(message))
  }
  const attackers = Promise.all(Array.from({ length: atOnce }, attacker))
  const state = { isOver: false }
  const end = attackers.then(() => {
    state.isOver = true
  })
  const tookMs: number[] = []
  for (let n = 0; !state.isOver; n++) {
    tookMs.push(await runNeighbour(rig.sandbox, n))
    await Promise.race([after(20), end])
  }
  await end
  tookMs.sort((a, b) => a - b)
  t.diagnostic(
    `neighbour: ${tookMs.length} runs, p50 ${tookMs[tookMs.length >> 1]?.toFixed(1)} ms, p99 ${tookMs[Math.floor(tookMs.length * 0.99)]?.toFixed(1)} ms`,
  )
  t.diagnostic(`largest child: ${Math.round(rig.peak() / 1024 / 1024)} MB`)
  assert.deepEqual(failures, [])
  assert.ok(rig.peak() <= 160 * 1024 * 1024, `a child had ${rig.peak()} bytes`)
})
