import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bucketEnds, bucketOf, percentileOf } from './histogram.ts'

const value = fc.double({ min: 0, max: 1e8, noNaN: true })

test('a value lies in the bucket that ends at it or next above it', () => {
  fc.assert(
    fc.property(value, (ms) => {
      const bucket = bucketOf(ms)
      assert.ok(ms <= bucketEnds[bucket]! * (1 + 1e-9))
      if (bucket > 0) assert.ok(ms > bucketEnds[bucket - 1]! * (1 - 1e-9))
    }),
  )
  for (const [bucket, end] of bucketEnds.entries()) assert.equal(bucketOf(end), bucket)
  assert.equal(bucketOf(1e12), bucketEnds.length - 1)
})

test('a percentile of a histogram is within a third of the percentile of its values', () => {
  const values = fc.array(fc.double({ min: 1, max: 1e8, noNaN: true }), { minLength: 1, maxLength: 200 })
  fc.assert(
    fc.property(values, fc.constantFrom(0.5, 0.95, 0.99), (all, share) => {
      const counts = new Map<number, number>()
      for (const ms of all) counts.set(bucketOf(ms), (counts.get(bucketOf(ms)) ?? 0) + 1)
      const exact = all.toSorted((one, other) => one - other)[Math.ceil(share * all.length) - 1]!
      const found = percentileOf(counts, share)
      assert.ok(found <= exact * 1.34 && found >= exact / 1.34, `${found} for ${exact}`)
    }),
  )
})
