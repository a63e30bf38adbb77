import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attack, openAttackRig, runNeighbour } from './sandbox/attackRig.ts'
import { hostile } from './sandbox/hostile/all.ts'

/** Runs every eighth program. `npm run test:sandbox` runs all. */
const step = 8

test('a selection of hostile programs ends in time and reads no canary, and runs of another team continue', async (t) => {
  const rig = await openAttackRig()
  t.after(() => rig.close())
  const chosen = hostile.filter(({ isSlow }, n) => n % step === 0 && !isSlow)
  assert.ok(chosen.length >= 15)
  for (const [n, each] of chosen.entries()) {
    await attack(rig.sandbox, each)
    await runNeighbour(rig.sandbox, n)
  }
})
