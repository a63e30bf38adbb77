import { createLruCache } from './lruCache.ts'

const formats = createLruCache<string, Intl.DateTimeFormat>(100)

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  })
  formats.set(timeZone, made)
  return made
}

const minuteMs = 60_000
const offsets = createLruCache<string, number>(10_000)

/** Wall time minus UTC. Since 1973 it changes only at full minutes, in every time zone, so it is computed once for each minute. */
function offsetAt(at: number, timeZone: string): number {
  const start = Math.floor(at / minuteMs) * minuteMs
  const key = `${timeZone} ${start}`
  const known = offsets.get(key)
  if (known !== undefined) return known
  const parts: Record<string, number> = {}
  for (const { type, value } of formatOf(timeZone).formatToParts(start)) parts[type] = Number(value)
  const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  const offset = Date.UTC(year, month - 1, day, hour, minute, second) - start
  offsets.set(key, offset)
  return offset
}

/** The local date and time, as the epoch ms of the same date and time in UTC. */
export const toWallTime = (at: number, timeZone: string): number => at + offsetAt(at, timeZone)

/**
 * The epoch ms of a local date and time. Returns the first of a repeated hour. A skipped hour counts as the hour after
 * it.
 */
export function fromWallTime(wall: number, timeZone: string): number {
  const day = 86_400_000
  const offsets = [wall - day, wall + day].map((near) => toWallTime(near, timeZone) - near)
  const candidates = offsets.map((offset) => wall - offset).sort((one, other) => one - other)
  return candidates.find((at) => toWallTime(at, timeZone) === wall) ?? candidates.at(-1)!
}
