import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fromWallTime, toWallTime } from '#kit/localTime.ts'
import { afterQuietHours } from './quietHours.ts'
import { firstRecordedDay, recordedDays, recordedZone as zone } from './recordedWeeks.fixture.ts'
import { hasFallen, isHoliday, lastPeriod, type Period, samePeriods, usualOf } from './usual.ts'

const hour = 3_600_000
const day = 24 * hour
const since = fromWallTime(firstRecordedDay, zone)
const hours = recordedDays.length * 24
const settings = { by: 0.5, minimum: 10 }

/** The count of a period of whole hours, for a shop that has this share of the rides. */
function countOf({ from, to }: Period, share: number): number {
  let sum = 0
  for (let at = from; at < to; at += hour) {
    const wall = toWallTime(at, zone) - firstRecordedDay
    sum += recordedDays[Math.floor(wall / day)]?.[Math.floor(wall / hour) % 24] ?? 0
  }
  return Math.round(sum * share)
}

/** True if the hour before a time raises an alarm with `left` of the rides. */
function isAlarm(at: number, share: number, left = 1): boolean {
  const period = lastPeriod(at, 'hour', zone)
  const usual = usualOf(samePeriods(period, since, zone).map((past) => countOf(past, share)))
  const onHoliday = isHoliday(period.from, zone)
  return (
    usual !== undefined &&
    hasFallen(Math.round(countOf(period, share) * left), usual, { ...settings, isHoliday: onHoliday })
  )
}
const everyHour = Array.from({ length: hours }, (_, n) => since + (n + 1) * hour)
const weekdayOf = (at: number) => new Date(toWallTime(at - hour, zone)).getUTCDay()

for (const share of [1, 0.1, 0.02])
  test(`in twenty recorded weeks of a shop of size ${share} no Sunday is an alarm, and one day in four weeks at most`, () => {
    const alarms = everyHour.filter((at) => isAlarm(at, share))
    assert.deepEqual(
      alarms.filter((at) => weekdayOf(at) === 0),
      [],
    )
    const days = new Set(alarms.map((at) => Math.floor(toWallTime(at - hour, zone) / day)))
    assert.ok(days.size <= hours / 24 / 28, `${days.size} days`)
  })

test('of the stops at any hour of the recorded weeks nineteen of twenty are found within two hours', () => {
  const starts = everyHour.slice(15 * 24, -1)
  const missed = starts.filter((at) => !isAlarm(at, 1, 0.05) && !isAlarm(at + hour, 1, 0.05))
  assert.ok(missed.length <= starts.length / 20, `${missed.length} of ${starts.length}`)
})

test('the quiet days from 24 December to 2 January are no alarm, and a shop that stopped on Christmas is', () => {
  const christmas = everyHour.filter((at) => isHoliday(at - hour, zone))
  assert.ok(christmas.length >= 10 * 24)
  assert.deepEqual(
    christmas.filter((at) => isAlarm(at, 1)),
    [],
  )
  assert.ok(christmas.some((at) => isAlarm(at, 1, 0)))
})

test('the weeks around the end of daylight saving time are compared by the clock on the wall', () => {
  const after = fromWallTime(Date.UTC(2014, 10, 3, 9), zone)
  const past = samePeriods(lastPeriod(after, 'hour', zone), since, zone)
  assert.deepEqual(
    past.map(({ from }) => new Date(toWallTime(from, zone)).toISOString()),
    ['2014-10-27T08', '2014-10-20T08', '2014-10-13T08', '2014-10-06T08'].map((text) => `${text}:00:00.000Z`),
  )
  assert.notEqual(new Date(past[0]!.from).getUTCHours(), new Date(after).getUTCHours() - 1)
  const changed = lastPeriod(fromWallTime(Date.UTC(2014, 10, 3), zone) + 1, 'day', zone)
  assert.equal(changed.to - changed.from, 25 * hour)
})

test('a new tag without two weeks of history has nothing usual', () => {
  const now = Date.UTC(2026, 10, 20, 12)
  for (const age of [0, 1, 13]) {
    const period = lastPeriod(now, 'hour', 'UTC')
    assert.equal(usualOf(samePeriods(period, now - age * day, 'UTC').map(() => 100)), undefined)
  }
  assert.equal(samePeriods(lastPeriod(now, 'hour', 'UTC'), now - 15 * day, 'UTC').length, 2)
})

test('below the minimum, and within three spreads, nothing has fallen', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(10_000), { minLength: 2, maxLength: 4 }), fc.nat(10_000), (counts, count) => {
      const usual = usualOf(counts)!
      const fell = hasFallen(count, usual, { ...settings, isHoliday: false })
      if (usual.median < 10 || count > usual.median / 2) assert.equal(fell, false)
      if (fell) assert.ok(count < usual.median - 3 * usual.spread)
    }),
  )
})

test('a wall time is found again in any time zone, but in the hour that is left out', () => {
  const zones = fc.constantFrom('Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'UTC')
  fc.assert(
    fc.property(fc.integer({ min: 1.2e12, max: 2.2e12 }), zones, (at, timeZone) => {
      const again = fromWallTime(toWallTime(at, timeZone), timeZone)
      assert.equal(toWallTime(again, timeZone), toWallTime(at, timeZone))
      assert.ok(again === at || Math.abs(again - at) <= hour)
    }),
  )
})

test('quiet hours end at their end on the clock of the time zone, within a day, and never in the past', () => {
  const times = fc.integer({ min: 0, max: 1_439 })
  const text = (minutes: number) => new Date(minutes * 60_000).toISOString().slice(11, 16)
  fc.assert(
    fc.property(fc.integer({ min: 1.7e12, max: 1.9e12 }), times, times, (now, from, to) => {
      const end = afterQuietHours(now, `${text(from)}-${text(to)}`, 'Europe/Berlin')
      assert.ok(end >= now && end <= now + 25 * hour)
      assert.equal(afterQuietHours(end, `${text(from)}-${text(to)}`, 'Europe/Berlin'), end)
      if (end !== now) assert.equal(new Date(toWallTime(end, 'Europe/Berlin')).toISOString().slice(11, 16), text(to))
    }),
  )
  const night = Date.UTC(2026, 10, 20, 23, 30)
  assert.equal(afterQuietHours(night, '22:00-07:00', 'Europe/Berlin'), Date.UTC(2026, 10, 21, 6))
  assert.equal(afterQuietHours(night, undefined, 'Europe/Berlin'), night)
})
