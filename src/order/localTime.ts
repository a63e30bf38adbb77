import type { reportIntervals } from '#contract/order.ts'
import { toWallTime } from '#kit/localTime.ts'

type Interval = (typeof reportIntervals)[number]

const quarterMs = 900_000
const dayMs = 86_400_000

/** 1970-01-05 was a Monday. */
const weekStart = (day: number) => day - ((((day - 4) % 7) + 7) % 7)

/**
 * The start of the hour, day or week of the shop in which a quarter of an hour lies. A day begins with the first quarter of
 * its date, also where clocks skip midnight; an hour that clocks repeat is two. Weeks begin on Monday.
 */
export function createIntervalStart(interval: Interval, timeZone: string): (quarterStartMs: number) => number {
  const offsets = new Map<number, number>()
  const offsetAt = (ms: number) => {
    const known = offsets.get(ms) ?? toWallTime(ms, timeZone) - ms
    offsets.set(ms, known)
    return known
  }
  const dayAt = (ms: number) => Math.floor((ms + offsetAt(ms)) / dayMs)
  const starts = new Map<number, number>()
  /** The first quarter of the date. Zones are at most 14 hours from UTC, and change by less than two hours at once. */
  function startOf(day: number): number {
    let start = starts.get(day)
    if (start !== undefined) return start
    start = day * dayMs - 16 * 3_600_000
    while (dayAt(start) < day) start += quarterMs
    starts.set(day, start)
    return start
  }
  if (interval === 'hour')
    return (ms) => {
      const ownOffset = offsetAt(ms)
      return Math.floor((ms + ownOffset) / 3_600_000) * 3_600_000 - ownOffset
    }
  return (ms) => startOf(interval === 'day' ? dayAt(ms) : weekStart(dayAt(ms)))
}

/** An interval of a report: `from` is its start, also where the range begins later. */
type IntervalRange = { from: number; fromMs: number; toMs: number }

/** No interval is shorter: clocks change by less than two hours at once. */
const leastMs = { hour: quarterMs, day: dayMs - 2 * 3_600_000, week: 7 * dayMs - 2 * 3_600_000 }

/** The intervals of a range, in order: together they are the range. */
export function intervalRanges(
  { fromMs, toMs }: { fromMs: number; toMs: number },
  interval: Interval,
  timeZone: string,
): IntervalRange[] {
  const startOf = createIntervalStart(interval, timeZone)
  const ranges: IntervalRange[] = []
  let from = startOf(Math.floor(fromMs / quarterMs) * quarterMs)
  while (from < toMs) {
    let at = from + leastMs[interval]
    while (startOf(at) === from) at += quarterMs
    const next = startOf(at)
    ranges.push({ from, fromMs: Math.max(from, fromMs), toMs: Math.min(next, toMs) })
    from = next
  }
  return ranges
}
