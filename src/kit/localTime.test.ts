import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cases } from '../../test/fake/cases.ts'
import { toWallTime } from './localTime.ts'

test('the wall time at any moment since 1973, in any time zone, is the one that Intl formats', () => {
  const zones = fc.constantFrom('UTC', ...Intl.supportedValuesOf('timeZone'))
  const moments = fc.integer({ min: Date.UTC(1973), max: Date.UTC(2040) })
  fc.assert(
    fc.property(moments, zones, (at, timeZone) => {
      const shown = new Date(at).toLocaleString('sv-SE', { timeZone })
      assert.equal(new Date(toWallTime(at, timeZone)).toISOString().slice(0, 19), shown.replace(' ', 'T'))
    }),
    { numRuns: cases(5_000) },
  )
})

test('the wall time changes at the very minute at which the time zone changes it', () => {
  const change = Date.UTC(2010, 10, 7, 3, 1) // Goose Bay set its clocks back at one minute past midnight
  const hoursFromUtc = (at: number) => (toWallTime(at, 'America/Goose_Bay') - at) / 3_600_000
  assert.deepEqual([change - 1, change].map(hoursFromUtc), [-3, -4])
})
