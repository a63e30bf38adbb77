import type { reportIntervals } from '#contract/order.ts'
import { toWallTime } from '#kit/localTime.ts'

type Interval = (typeof reportIntervals)[number]
type Range = { fromMs: number; toMs: number }

const secondMs = 1_000
const hourMs = 3_600_000
const dayMs = 24 * hourMs

type Piece = Range & { offset: number }

/** Zones change their offset at most once in this time, so checking this often finds every change. */
const probeMs = 12 * hourMs

/**
 * Splits a range at changes of the offset. Offsets are checked at fixed times, so that all ranges find the same
 * changes.
 */
function* piecesOf({ fromMs, toMs }: Range, offsetAt: (ms: number) => number): Generator<Piece> {
  let from = Math.floor(fromMs / probeMs) * probeMs
  let offset = offsetAt(from)
  for (let at = from; at < toMs; ) {
    const next = at + probeMs
    if (offsetAt(next) === offset) {
      at = next
      continue
    }
    let [same, other] = [at, next]
    while (other - same > secondMs) {
      const middle = Math.floor((same + other) / (2 * secondMs)) * secondMs
      if (offsetAt(middle) === offset) same = middle
      else other = middle
    }
    yield { fromMs: from, toMs: other, offset }
    from = other
    offset = offsetAt(other)
    at = offset === offsetAt(next) ? next : other
  }
  yield { fromMs: from, toMs, offset }
}

/**
 * `phaseMs`: the first start of an interval in local time; 1970-01-05 was a Monday. `longestMs`: no interval is longer.
 */
const forms = {
  hour: { lengthMs: hourMs, phaseMs: 0, longestMs: hourMs },
  day: { lengthMs: dayMs, phaseMs: 0, longestMs: 3 * dayMs },
  week: { lengthMs: 7 * dayMs, phaseMs: 4 * dayMs, longestMs: 10 * dayMs },
} as const

/** The starts of all intervals of a range, in order; the first one is at or before the range. */
function startsOf(range: Range, interval: Interval, timeZone: string): number[] {
  const { lengthMs, phaseMs, longestMs } = forms[interval]
  const starts: number[] = []
  let highest = Number.NEGATIVE_INFINITY
  const before = { fromMs: range.fromMs - longestMs - probeMs, toMs: range.toMs }
  for (const { fromMs, toMs, offset } of piecesOf(before, (ms) => toWallTime(ms, timeZone) - ms)) {
    const first = Math.floor((fromMs + offset - phaseMs) / lengthMs)
    // an hour that clocks repeat counts twice, a repeated date once
    if (interval === 'hour' || first > highest) starts.push(fromMs)
    highest = interval === 'hour' ? first : Math.max(highest, first)
    for (let n = highest + 1; ; n++) {
      const at = n * lengthMs + phaseMs - offset
      if (at >= toMs) break
      starts.push(at)
      highest = n
    }
  }
  return starts.slice(starts.findLastIndex((at) => at <= range.fromMs))
}

/** `from`: the start of the interval, even if the range begins later. */
export type IntervalRange = Range & { from: number }

/**
 * The hours, days or weeks of a range in the shop's time zone, in order and without gaps. A day begins with the first
 * second of its date, even if clocks skip midnight. Weeks begin on Monday.
 */
export function intervalRanges(range: Range, interval: Interval, timeZone: string): IntervalRange[] {
  const starts = startsOf(range, interval, timeZone)
  return starts.flatMap((from, n) => {
    const own = { from, fromMs: Math.max(from, range.fromMs), toMs: Math.min(starts[n + 1] ?? range.toMs, range.toMs) }
    return own.fromMs < own.toMs ? [own] : []
  })
}

/** `ms` must be in the range. */
export function intervalOf(ms: number, ranges: readonly IntervalRange[]): IntervalRange {
  let [low, high] = [0, ranges.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (ranges[middle]!.fromMs <= ms) low = middle
    else high = middle - 1
  }
  return ranges[low]!
}
