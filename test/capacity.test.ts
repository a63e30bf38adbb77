import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import type { CapacityCosts } from '../scripts/capacity/costs.ts'
import { planCapacity, usualWish } from '../scripts/capacity/plan.ts'
import { simulateAnswers } from '../scripts/capacity/simulate.ts'

const root = join(import.meta.dirname, '..')
const costs = JSON.parse(readFileSync(join(root, 'bench/capacityCosts.json'), 'utf8')) as CapacityCosts
const wishes = fc.record({
  events: fc.integer({ min: 1, max: 1_000_000 }),
  channels: fc.integer({ min: 1, max: 50 }),
  eventBytes: fc.integer({ min: 100, max: 20_000 }),
})

test('a plan for more events has at least as many processes, primaries and installations, and no limit is exceeded', () => {
  fc.assert(
    fc.property(wishes, fc.integer({ min: 1, max: 1_000_000 }), (some, more) => {
      const wish = { ...usualWish, ...some }
      const [less, most] = [planCapacity(costs, wish), planCapacity(costs, { ...wish, events: wish.events + more })]
      for (const name of ['edges', 'workers', 'shards', 'installations', 'cores'] as const)
        assert.ok(less[name] <= most[name], name)
      for (const { name, events } of less.limits) {
        const isShared = name === 'connections' || name === 'notices'
        assert.ok(wish.events / (isShared ? less.installations : less.shards) <= events * 1.000001, name)
      }
      assert.ok(less.walMegabytesEach <= wish.walMegabytes * 1.000001)
    }),
  )
})

test('the first limit of a plan is the lowest, and more of what limits gives more events', () => {
  fc.assert(
    fc.property(wishes, (some) => {
      const wish = { ...usualWish, ...some }
      const { limits } = planCapacity(costs, wish)
      assert.deepEqual(
        limits,
        limits.toSorted((one, other) => one.events - other.events),
      )
      const more = { CPU: 'shardCores', 'write-ahead log': 'walMegabytes', connections: 'connections' } as const
      for (const [name, setting] of Object.entries(more)) {
        const raised = planCapacity(costs, { ...wish, [setting]: wish[setting] * 2 })
        const of = (all: typeof limits) => all.find((each) => each.name === name)!.events
        assert.ok(of(raised.limits) > of(limits), name)
      }
    }),
  )
})

test('a simulated answer takes as long as one alone while nothing waits, and up to twice as long while groups wait', () => {
  const always = { edges: 2, events: 5_000, answerMs: [10], seed: 7 }
  const calm = simulateAnswers({ ...always, perSecond: 1 })
  assert.equal(Math.round(calm.p50), 10)
  const busy = simulateAnswers({ ...always, perSecond: 10_000 })
  assert.ok(busy.p50 > 14 && busy.p50 < 16, `${busy.p50}`)
  assert.ok(busy.p99 <= 20, `${busy.p99}`)
  assert.deepEqual(simulateAnswers({ ...always, perSecond: 10_000 }), busy, 'the same seed gives the same')
})

test('npm run capacity prints the plan of a number of events, and refuses what is no number', () => {
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [join(root, 'scripts/capacity.ts'), ...args], { encoding: 'utf8', stdio: 'pipe' })
  assert.match(
    run('--events', '10000'),
    /^10,000 events a second with 5 channels[\s\S]*\nedges +\d+[\s\S]*\nworkers +\d+/,
  )
  assert.throws(() => run('--events', 'many'), /must be a number above 0/)
})
