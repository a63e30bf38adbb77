import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as after } from 'node:timers/promises'
import { hasPrlimit } from '../fake/children.ts'
import { attack, openAttackRig, runNeighbour } from './attackRig.ts'
import { calls } from './hostile/abuse.ts'
import { memory } from './hostile/bombs.ts'

/** Programs that allocate memory until the kernel refuses it. */
const taken = [
  'a text of the longest length, flattened',
  'deep JSON as text',
  'a BigInt of a gigabit',
  'a result of 50 MB',
  'an error of 50 MB',
  'a rope that is flattened by a call',
]

test('without polling, the kernel keeps every program below the memory limit, and other runs continue', async (t) => {
  const rig = await openAttackRig({ residentBytes: Number.POSITIVE_INFINITY })
  t.after(() => rig.close())
  assert.equal(rig.sandbox.state.layers.memory, hasPrlimit)
  if (!hasPrlimit) return t.skip('there is no prlimit here')
  const failures: string[] = []
  const attacker = async () => {
    for (const each of [...memory, ...calls.filter(({ title }) => taken.includes(title))]) {
      const ran = await attack(rig, each).catch(({ message }) => void failures.push(message))
      const isRefused = ran && 'breach' in ran && ran.breach === 'memory'
      if (ran && taken.includes(each.title) && !isRefused) failures.push(`${each.title}: ${JSON.stringify(ran)}`)
    }
  }
  const state = { isOver: false }
  const end = attacker().then(() => {
    state.isOver = true
  })
  let runs = 0
  for (; !state.isOver; runs++) {
    await runNeighbour(rig.sandbox, runs)
    await Promise.race([after(20), end])
  }
  t.diagnostic(`neighbour: ${runs} runs; largest child: ${Math.round(rig.peak() / 1024 / 1024)} MB`)
  assert.deepEqual(failures, [])
  assert.ok(rig.peak() <= 160 * 1024 * 1024, `a child had ${rig.peak()} bytes`)
})
