export const epochSeconds = (ms: number) => Math.floor(ms / 1000)

export const epochMicros = (ms: number) => Math.round(ms * 1000)

/** `2023-11-14T22:13:20.000Z`. Throws a RangeError for an invalid time. */
export const isoTime = (ms: number) => new Date(ms).toISOString()

const clocks = new Map<string, Intl.DateTimeFormat>()

/**
 * The local time of a time zone, without its offset: `2023-11-14T17:13:20`. `timeZone`: an IANA name. Throws a
 * RangeError for an invalid time.
 */
export function localTime(ms: number, timeZone: string): string {
  let clock = clocks.get(timeZone)
  if (!clock) {
    // Swedish dates look like ISO 8601, with a space before the time.
    clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
    clocks.set(timeZone, clock)
  }
  return clock.format(ms).replace(' ', 'T')
}
