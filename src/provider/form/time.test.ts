import assert from 'node:assert/strict'
import { test } from 'node:test'
import { epochMicros, epochSeconds, isoTime, localTime } from './time.ts'

test('a time is written in the unit that the vendor reads', () => {
  assert.equal(epochSeconds(1_700_000_000_999), 1_700_000_000)
  assert.equal(epochMicros(1_700_000_000_123), 1_700_000_000_123_000)
  assert.equal(isoTime(1_700_000_000_123), '2023-11-14T22:13:20.123Z')
  assert.throws(() => isoTime(Number.NaN), RangeError)
})

test('the time of a zone follows its daylight saving time', () => {
  assert.equal(localTime(Date.parse('2023-11-14T22:13:20Z'), 'America/New_York'), '2023-11-14T17:13:20')
  assert.equal(localTime(Date.parse('2024-07-03T04:00:05Z'), 'America/New_York'), '2024-07-03T00:00:05')
  assert.throws(() => localTime(Number.NaN, 'America/New_York'), RangeError)
})
