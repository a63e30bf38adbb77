import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as after } from 'node:timers/promises'
import { hasPrlimit } from '../fake/children.ts'
import { attack, neighbour, openGround } from './attack.ts'
import { calls } from './hostile/abuse.ts'
import { memory } from './hostile/bombs.ts'

/** They take more than there is, and go on until they are refused. */
const taken = [
  'a text of the longest length, flattened',
  'deep JSON as text',
  'a BigInt of a gigabit',
  'a result of 50 MB',
  'an error of 50 MB',
  'a rope that is flattened by a call',
]

test('while nobody looks the kernel keeps every program below the bound, and a neighbour goes on', async (t) => {
  const ground = await openGround({ residentBytes: Number.POSITIVE_INFINITY })
  t.after(() => ground.close())
  assert.equal(ground.sandbox.state.layers.memory, hasPrlimit)
  if (!hasPrlimit) return t.skip('there is no prlimit here')
  const failures: string[] = []
  const attacker = async () => {
    for (const each of [...memory, ...calls.filter(({ title }) => taken.includes(title))]) {
      const ran = await attack(ground.sandbox, each).catch(({ message }) => void failures.push(message))
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
    await neighbour(ground.sandbox, runs)
    await Promise.race([after(20), end])
  }
  t.diagnostic(`neighbour: ${runs} runs; largest child: ${Math.round(ground.peak() / 1024 / 1024)} MB`)
  assert.deepEqual(failures, [])
  assert.ok(ground.peak() <= 160 * 1024 * 1024, `a child had ${ground.peak()} bytes`)
})
