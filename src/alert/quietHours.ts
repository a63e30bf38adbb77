import { fromWallTime, toWallTime } from '#kit/localTime.ts'

const dayMs = 86_400_000
const minuteMs = 60_000

const minutesOf = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5))

/**
 * When a message may be sent: now, or when the quiet hours end. `quiet`: for example `22:00-07:00`, in a time zone. If
 * start and end are equal, there are no quiet hours.
 */
export function afterQuietHours(now: number, quiet: string | undefined, timeZone: string): number {
  if (quiet === undefined) return now
  const [from, to] = [minutesOf(quiet.slice(0, 5)), minutesOf(quiet.slice(6))]
  if (from === to) return now
  const wall = toWallTime(now, timeZone)
  const midnight = Math.floor(wall / dayMs) * dayMs
  const minute = (wall - midnight) / minuteMs
  const isQuiet = from < to ? minute >= from && minute < to : minute >= from || minute < to
  if (!isQuiet) return now
  const endsTomorrow = from > to && minute >= from
  // If a clock is set back within the quiet hours, the end must not lie in the past.
  return Math.max(now, fromWallTime(midnight + (endsTomorrow ? dayMs : 0) + to * minuteMs, timeZone))
}
