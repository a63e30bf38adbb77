import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { tokenBuckets } from './tokenBucket.ts'

const open = (perSecond: number, capacity: number) => {
  const clock = { ms: 0, now: () => clock.ms }
  return { clock, buckets: tokenBuckets({ perSecond, capacity }, clock) }
}

test('in any period at most the capacity, the tokens added in it and one more request are taken', () => {
  const steps = fc.array(fc.record({ waitMs: fc.nat(3_000), tokens: fc.integer({ min: 1, max: 50 }) }), {
    minLength: 1,
    maxLength: 60,
  })
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: 1, max: 200 }),
      steps,
      (perSecond, capacity, all) => {
        const { clock, buckets } = open(perSecond, capacity)
        const taken: { atMs: number; tokens: number }[] = []
        for (const { waitMs, tokens } of all) {
          clock.ms += waitMs
          if (buckets.waitMs('team', 1) > 0) continue
          buckets.take('team', tokens)
          taken.push({ atMs: clock.ms, tokens })
        }
        for (const [first, from] of taken.entries()) {
          let sum = 0
          for (const { atMs, tokens } of taken.slice(first)) {
            const added = ((atMs - from.atMs) / 1_000) * perSecond
            assert.ok(sum <= capacity + added, 'tokens were taken from an empty bucket')
            sum += tokens
          }
        }
      },
    ),
  )
})

test('a bucket holds the tokens after waitMs, and not before', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5_000 }),
      fc.integer({ min: 1, max: 1_000 }),
      fc.integer({ min: 0, max: 5_000 }),
      (perSecond, capacity, debt) => {
        const { clock, buckets } = open(perSecond, capacity)
        buckets.take('team', capacity + debt)
        const waitMs = buckets.waitMs('team', 1)
        assert.ok(waitMs > 0)
        clock.ms = waitMs * 0.999
        assert.ok(buckets.waitMs('team', 1) > 0)
        clock.ms = waitMs * 1.000_001
        assert.equal(buckets.waitMs('team', 1), 0)
      },
    ),
  )
})

test('an empty bucket does not affect the others', () => {
  const { buckets } = open(10, 10)
  buckets.take('one', 10)
  assert.ok(buckets.waitMs('one', 1) > 0)
  assert.equal(buckets.waitMs('other', 10), 0)
})

test('a request for more tokens than the capacity waits for ever', () => {
  assert.equal(open(10, 10).buckets.waitMs('team', 11), Number.POSITIVE_INFINITY)
})

test('a clock that is set back neither adds tokens nor blocks a bucket for longer', () => {
  const { clock, buckets } = open(10, 10)
  clock.ms = 3_600_000
  buckets.take('team', 10)
  clock.ms = 0
  assert.equal(buckets.waitMs('team', 1), 100)
  clock.ms = 100
  assert.equal(buckets.waitMs('team', 1), 0)
})

test('full buckets are removed from memory', () => {
  const { clock, buckets } = open(10, 10)
  for (let n = 0; n < 100_000; n++) {
    clock.ms += 10
    buckets.take(`tag ${n}`, 1)
  }
  assert.ok(buckets.size() <= 1_000, `${buckets.size()} buckets are in memory`)
})

test('a changed rate counts from the last access of a bucket on', () => {
  const { clock, buckets } = open(10, 10)
  buckets.take('team', 10)
  assert.equal(buckets.waitMs('team', 1), 100)
  buckets.setRate(1)
  assert.equal(buckets.waitMs('team', 1), 1_000)
  clock.ms = 1_000
  assert.equal(buckets.waitMs('team', 1), 0)
  assert.equal(buckets.waitMs('team', 2), 1_000)
})
