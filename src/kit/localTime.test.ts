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
