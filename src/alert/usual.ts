import { fromWallTime, toWallTime } from '#kit/localTime.ts'

export type Period = { from: number; to: number }

const weekMs = 7 * 86_400_000
const stepMs = { hour: 3_600_000, day: 86_400_000 } as const
const weeks = [1, 2, 3, 4] as const
/** With fewer weeks there is no pattern. */
const minWeeks = 2

/** The last complete hour or day in a time zone. A day has 23 or 25 hours when the clocks change. */
export function lastPeriod(now: number, per: 'hour' | 'day', timeZone: string): Period {
  const step = stepMs[per]
  const wall = Math.floor(toWallTime(now, timeZone) / step) * step
  if (per === 'day') return { from: fromWallTime(wall - step, timeZone), to: fromWallTime(wall, timeZone) }
  const to = now - (toWallTime(now, timeZone) - wall)
  return { from: to - step, to }
}

/** The same local period in each of the four weeks before, without those that began before `since`. */
export function samePeriods({ from, to }: Period, since: number, timeZone: string): Period[] {
  const [wallFrom, wallTo] = [toWallTime(from, timeZone), toWallTime(to, timeZone)]
  const isDay = to - from > 2 * stepMs.hour
  return weeks
    .map((week) => {
      const start = fromWallTime(wallFrom - week * weekMs, timeZone)
      return { from: start, to: isDay ? fromWallTime(wallTo - week * weekMs, timeZone) : start + (to - from) }
    })
    .filter((period) => period.from >= since)
}

const quantile = (sorted: readonly number[], part: number) => {
  const at = (sorted.length - 1) * part
  const low = Math.floor(at)
  return sorted[low]! + (at - low) * ((sorted[low + 1] ?? sorted[low]!) - sorted[low]!)
}

/** `median`: of the weeks before. `spread`: how much they vary. */
type Usual = { median: number; spread: number }

/**
 * The spread is the interquartile range, but at least that of a Poisson distribution: four weeks that happen to be
 * equal do not make the fifth unusual. Undefined for fewer than two weeks.
 */
export function usualOf(counts: readonly number[]): Usual | undefined {
  if (counts.length < minWeeks) return undefined
  const sorted = counts.toSorted((one, other) => one - other)
  const median = quantile(sorted, 0.5)
  const range = quantile(sorted, 0.75) - quantile(sorted, 0.25)
  return { median, spread: Math.max(range, 0.9 * Math.sqrt(median)) }
}

/** Between 24 December and 2 January, earlier weeks are not comparable. */
export function isHoliday(at: number, timeZone: string): boolean {
  const day = new Date(toWallTime(at, timeZone)).toISOString().slice(5, 10)
  return day >= '12-24' || day <= '01-02'
}

/** True if a count rose by the given share and by three spreads. Always false below the minimum. */
export const hasRisen = (
  count: number,
  { median, spread }: Usual,
  { by, minimum }: { by: number; minimum: number },
): boolean => count >= minimum && count >= median * (1 + by) && count > median + 3 * spread

/**
 * True if a count fell by the given share and by three spreads. Always false below the minimum. On holidays traffic is
 * lower, so only a near stop counts.
 */
export function hasFallen(
  count: number,
  { median, spread }: Usual,
  { by, minimum, isHoliday: onHoliday }: { by: number; minimum: number; isHoliday: boolean },
): boolean {
  if (median < minimum) return false
  const left = (1 - by) * (onHoliday ? 0.2 : 1)
  return count <= median * left && count < median - 3 * spread
}
