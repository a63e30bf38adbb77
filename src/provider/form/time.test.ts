import assert from 'node:assert/strict'
import { test } from 'node:test'
import { epochMicros, epochSeconds, isoTime } from './time.ts'

test('a time is written in the unit that the vendor reads', () => {
  assert.equal(epochSeconds(1_700_000_000_999), 1_700_000_000)
  assert.equal(epochMicros(1_700_000_000_123), 1_700_000_000_123_000)
  assert.equal(isoTime(1_700_000_000_123), '2023-11-14T22:13:20.123Z')
  assert.throws(() => isoTime(Number.NaN), RangeError)
})
