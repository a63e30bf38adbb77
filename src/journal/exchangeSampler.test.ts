import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openExchangeSampler } from './exchangeSampler.ts'
import { defaultRetention } from './retentionPolicy.ts'

const bodiesAt = (clock: { now(): number }, more: Partial<typeof defaultRetention>) => {
  const sample = openExchangeSampler({ ...defaultRetention, ...more }, clock)
  return (tagId: string, attempts: number) => Array.from({ length: attempts }, () => sample(tagId).bodies)
}

test('above the rate of a tag only failed exchanges are stored, until the next second', () => {
  let now = 0
  const bodies = bodiesAt({ now: () => now }, { bodiesPerSecond: 2 })
  assert.deepEqual(bodies('tag_1', 4), ['all', 'all', 'failed', 'failed'])
  assert.deepEqual(bodies('tag_2', 1), ['all'])
  now = 1_000
  assert.deepEqual(bodies('tag_1', 3), ['all', 'all', 'failed'])
})

test('without a rate everything is stored, and the rate never stores more than the policy', () => {
  const clock = { now: () => 0 }
  assert.deepEqual(new Set(bodiesAt(clock, {})('tag_1', 10_000)), new Set(['all']))
  for (const policy of ['failed', 'none'] as const)
    assert.deepEqual(bodiesAt(clock, { bodies: policy, bodiesPerSecond: 1 })('tag_1', 2), [policy, policy])
})
