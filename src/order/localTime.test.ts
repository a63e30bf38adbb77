import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { cases } from '../../test/fake/cases.ts'
import { createIntervalStart, intervalRanges } from './localTime.ts'

const at = (text: string) => Date.parse(text)
const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16)

describe('the intervals of a report', () => {
  const start = (interval: 'hour' | 'day' | 'week', zone: string, text: string) =>
    iso(createIntervalStart(interval, zone)(at(text)))

  test('a day begins at midnight of the shop, also on days of 23 and 25 hours', () => {
    assert.equal(start('day', 'Europe/Berlin', '2026-03-28T22:45Z'), '2026-03-27T23:00')
    assert.equal(start('day', 'Europe/Berlin', '2026-03-28T23:00Z'), '2026-03-28T23:00')
    assert.equal(start('day', 'Europe/Berlin', '2026-03-29T21:45Z'), '2026-03-28T23:00')
    assert.equal(start('day', 'Europe/Berlin', '2026-03-29T22:00Z'), '2026-03-29T22:00')
    assert.equal(start('day', 'Europe/Berlin', '2026-10-25T22:45Z'), '2026-10-24T22:00')
    assert.equal(start('day', 'Europe/Berlin', '2026-10-25T23:00Z'), '2026-10-25T23:00')
  })

  test('a day without midnight begins with its first quarter of an hour', () => {
    // Beirut skips the hour from 0 to 1 on 29 March 2026
    assert.equal(start('day', 'Asia/Beirut', '2026-03-29T05:00Z'), '2026-03-28T22:00')
    assert.equal(start('day', 'Asia/Beirut', '2026-03-28T21:45Z'), '2026-03-27T22:00')
  })

  test('zones that are not whole hours from UTC have days and hours of their own', () => {
    assert.equal(start('day', 'Asia/Kathmandu', '2026-11-20T18:00Z'), '2026-11-19T18:15')
    assert.equal(start('day', 'Asia/Kathmandu', '2026-11-20T18:15Z'), '2026-11-20T18:15')
    assert.equal(start('hour', 'Asia/Kolkata', '2026-11-20T18:15Z'), '2026-11-20T17:30')
  })

  test('an hour that clocks repeat is two hours', () => {
    assert.equal(start('hour', 'Europe/Berlin', '2026-10-25T00:30Z'), '2026-10-25T00:00')
    assert.equal(start('hour', 'Europe/Berlin', '2026-10-25T01:30Z'), '2026-10-25T01:00')
  })

  test('a week begins on the Monday of the shop', () => {
    assert.equal(start('week', 'America/New_York', '2026-11-23T04:45Z'), '2026-11-16T05:00')
    assert.equal(start('week', 'America/New_York', '2026-11-23T05:00Z'), '2026-11-23T05:00')
  })

  test('the intervals of a range are the range, and each holds the quarters of its start alone', () => {
    const zones = ['UTC', 'Europe/Berlin', 'Asia/Beirut', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia']
    fc.assert(
      fc.property(
        fc.constantFrom('hour', 'day', 'week'),
        fc.constantFrom(...zones),
        fc.integer({ min: 1_600_000_000_000, max: 1_800_000_000_000 }),
        fc.integer({ min: 1, max: 6 * 86_400_000 }),
        (interval, zone, fromMs, lengthMs) => {
          const startOf = createIntervalStart(interval, zone)
          const toMs = fromMs + lengthMs
          let at = fromMs
          for (const each of intervalRanges({ fromMs, toMs }, interval, zone)) {
            assert.equal(each.fromMs, at)
            assert.ok(each.toMs > each.fromMs)
            for (const ms of [each.fromMs, each.toMs - 1])
              assert.equal(startOf(Math.floor(ms / 900_000) * 900_000), each.from)
            at = each.toMs
          }
          assert.equal(at, toMs)
        },
      ),
      { numRuns: cases(1_000) },
    )
  })

  test('in every zone an interval begins at or before its quarters, with itself, and later ones begin later', () => {
    const zones = ['UTC', 'Europe/Berlin', 'Africa/Cairo', 'America/Santiago', 'Australia/Lord_Howe', 'Pacific/Apia']
    fc.assert(
      fc.property(
        fc.constantFrom('hour', 'day', 'week'),
        fc.constantFrom(...zones),
        fc.integer({ min: 1_900_000, max: 2_100_000 }),
        (interval, zone, quarter) => {
          const startOf = createIntervalStart(interval, zone)
          const [begin, next] = [startOf(quarter * 900_000), startOf((quarter + 1) * 900_000)]
          assert.ok(begin <= quarter * 900_000)
          assert.equal(startOf(begin), begin)
          assert.ok(next === begin || next === (quarter + 1) * 900_000)
        },
      ),
      { numRuns: cases(2_000) },
    )
  })
})
