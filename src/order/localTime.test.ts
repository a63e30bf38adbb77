import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { cases } from '../../test/fake/cases.ts'
import { intervalOf, intervalRanges } from './localTime.ts'

const at = (text: string) => Date.parse(text)
const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16)
const dayMs = 86_400_000
const intervals = ['hour', 'day', 'week'] as const
const zones = Intl.supportedValuesOf('timeZone')

describe('the intervals of a report', () => {
  const start = (interval: 'hour' | 'day' | 'week', zone: string, text: string) =>
    iso(intervalRanges({ fromMs: at(text), toMs: at(text) + 1 }, interval, zone)[0]!.from)

  test('a day begins at midnight of the shop, also on days of 23 and 25 hours', () => {
    assert.equal(start('day', 'Europe/Berlin', '2026-03-28T22:45Z'), '2026-03-27T23:00')
    assert.equal(start('day', 'Europe/Berlin', '2026-03-28T23:00Z'), '2026-03-28T23:00')
    assert.equal(start('day', 'Europe/Berlin', '2026-03-29T21:45Z'), '2026-03-28T23:00')
    assert.equal(start('day', 'Europe/Berlin', '2026-03-29T22:00Z'), '2026-03-29T22:00')
    assert.equal(start('day', 'Europe/Berlin', '2026-10-25T22:45Z'), '2026-10-24T22:00')
    assert.equal(start('day', 'Europe/Berlin', '2026-10-25T23:00Z'), '2026-10-25T23:00')
  })

  test('a day without midnight begins with the first second of its date, and a date that clocks repeat is one day', () => {
    // Beirut skips the hour from 0 to 1 on 29 March 2026
    assert.equal(start('day', 'Asia/Beirut', '2026-03-29T05:00Z'), '2026-03-28T22:00')
    assert.equal(start('day', 'Asia/Beirut', '2026-03-28T21:59Z'), '2026-03-27T22:00')
    // Samoa had no 30 December 2011
    assert.equal(start('day', 'Pacific/Apia', '2011-12-30T10:00Z'), '2011-12-30T10:00')
    assert.equal(start('day', 'Pacific/Apia', '2011-12-30T09:59Z'), '2011-12-29T10:00')
    // St John's turned its clocks back at 00:01 on 7 November 2010, into the date before
    assert.equal(start('day', 'America/St_Johns', '2010-11-07T02:40Z'), '2010-11-07T02:30')
  })

  test('zones that are not whole hours from UTC have days and hours of their own', () => {
    assert.equal(start('day', 'Asia/Kathmandu', '2026-11-20T18:00Z'), '2026-11-19T18:15')
    assert.equal(start('day', 'Asia/Kathmandu', '2026-11-20T18:15Z'), '2026-11-20T18:15')
    assert.equal(start('hour', 'Asia/Kolkata', '2026-11-20T18:15Z'), '2026-11-20T17:30')
  })

  test('an hour that clocks repeat is two hours', () => {
    assert.equal(start('hour', 'Europe/Berlin', '2026-10-25T00:30Z'), '2026-10-25T00:00')
    assert.equal(start('hour', 'Europe/Berlin', '2026-10-25T01:30Z'), '2026-10-25T01:00')
    assert.equal(start('hour', 'Australia/Lord_Howe', '2026-04-04T15:10Z'), '2026-04-04T15:00')
  })

  test('a week begins on the Monday of the shop', () => {
    assert.equal(start('week', 'America/New_York', '2026-11-23T04:45Z'), '2026-11-16T05:00')
    assert.equal(start('week', 'America/New_York', '2026-11-23T05:00Z'), '2026-11-23T05:00')
  })

  test('in every zone and at every date the intervals of a range are the range, and are the same for a part of it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...intervals),
        fc.constantFrom(...zones),
        fc.integer({ min: 0, max: 9_999_999_999_999 }),
        fc.integer({ min: 1, max: 40 * dayMs }),
        fc.nat(),
        (interval, zone, fromMs, lengthMs, within) => {
          const toMs = fromMs + lengthMs
          const ranges = intervalRanges({ fromMs, toMs }, interval, zone)
          let next = fromMs
          for (const each of ranges) {
            assert.equal(each.fromMs, next)
            assert.ok(each.toMs > each.fromMs && each.from <= each.fromMs)
            next = each.toMs
          }
          assert.equal(next, toMs)
          const ms = fromMs + (within % lengthMs)
          const own = intervalOf(ms, ranges)
          assert.ok(own.fromMs <= ms && ms < own.toMs)
          assert.equal(intervalRanges({ fromMs: ms, toMs }, interval, zone)[0]!.from, own.from)
        },
      ),
      { numRuns: cases(3_000) },
    )
  })

  test('a day of any zone in the years from 2013 to 2035 has one date alone, and 20 to 28 hours', () => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.integer({ min: 2013, max: 2035 }), (zone, year) => {
        const date = new Intl.DateTimeFormat('en-CA', { timeZone: zone })
        const range = { fromMs: Date.UTC(year, 0, 1), toMs: Date.UTC(year + 1, 0, 1) }
        for (const { fromMs, toMs } of intervalRanges(range, 'day', zone).slice(1, -1)) {
          const isUsual = toMs - fromMs === dayMs
          if (isUsual && (fromMs / 900_000) % 5 !== 0) continue
          assert.ok(toMs - fromMs >= 20 * 3_600_000 && toMs - fromMs <= 28 * 3_600_000, iso(fromMs))
          assert.equal(date.format(fromMs), date.format(toMs - 1), iso(fromMs))
          assert.notEqual(date.format(fromMs), date.format(fromMs - 1), iso(fromMs))
        }
      }),
      { numRuns: cases(400) },
    )
  })

  test('the days of 800 days look at the clock of the shop some thousand times', () => {
    const range = { fromMs: at('2024-01-01T00:00Z'), toMs: at('2026-03-11T00:00Z') }
    const { formatToParts } = Intl.DateTimeFormat.prototype
    let looks = 0
    Intl.DateTimeFormat.prototype.formatToParts = function (this: Intl.DateTimeFormat, ...given) {
      looks++
      return formatToParts.apply(this, given)
    }
    try {
      assert.equal(intervalRanges(range, 'day', 'America/New_York').length, 801)
    } finally {
      Intl.DateTimeFormat.prototype.formatToParts = formatToParts
    }
    assert.ok(looks < 2_500, `${looks}`)
  })
})
