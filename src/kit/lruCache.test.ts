import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createLruCache } from './lruCache.ts'

const step = fc.record({ does: fc.constantFrom('get', 'set', 'delete'), key: fc.integer({ min: 0, max: 12 }) })

test('a cache holds the entries that were used last, and never more than its most', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), fc.array(step, { maxLength: 100 }), (most, steps) => {
      const cache = createLruCache<number, string>(most)
      const expected = new Map<number, string>() // the most recently used entry is last
      for (const [at, { does, key }] of steps.entries()) {
        const held = expected.get(key)
        if (does === 'get') assert.equal(cache.get(key), held)
        if (does === 'set') cache.set(key, `${at}`)
        if (does === 'delete') cache.delete(key)
        if (does !== 'get' || held !== undefined) expected.delete(key)
        if (does === 'get' && held !== undefined) expected.set(key, held)
        if (does === 'set') expected.set(key, `${at}`)
        if (expected.size > most) expected.delete(expected.keys().next().value!)
        assert.deepEqual([...cache.entries()].reverse(), [...expected])
      }
    }),
  )
})

test('an empty cache of a million entries reserves no memory for them', () => {
  const before = process.memoryUsage()
  const caches = Array.from({ length: 20 }, () => createLruCache<string, string>(1_000_000))
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  assert.equal(caches.length, 20)
  assert.ok(heapUsed + arrayBuffers - before.heapUsed - before.arrayBuffers < 50e6)
})
