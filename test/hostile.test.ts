import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attack, neighbour, openGround } from './sandbox/attack.ts'
import { hostile } from './sandbox/hostile/all.ts'

/** One in so many: the whole is run by `npm run test:sandbox`. */
const step = 8

test('a choice of hostile programs ends in time and learns nothing, and a neighbour’s run goes on', async (t) => {
  const ground = await openGround()
  t.after(() => ground.close())
  const chosen = hostile.filter(({ isSlow }, n) => n % step === 0 && !isSlow)
  assert.ok(chosen.length >= 15)
  for (const [n, each] of chosen.entries()) {
    await attack(ground.sandbox, each)
    await neighbour(ground.sandbox, n)
  }
  assert.equal(ground.reached(), 0)
})
