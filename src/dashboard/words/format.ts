/** Numbers, times and plurals of the language of the texts, by Intl. */
const locale = 'en'

const whole = new Intl.NumberFormat(locale)
const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 })
const percent = new Intl.NumberFormat(locale, { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 })
const signed = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1, signDisplay: 'exceptZero' })
const points = new Intl.NumberFormat(locale, {
  maximumFractionDigits: 1,
  minimumFractionDigits: 1,
  signDisplay: 'exceptZero',
})
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'long' })
const rules = new Intl.PluralRules(locale)

export type Zone = 'local' | 'utc'

export const count = (value: number) => whole.format(value)
export const shortCount = (value: number) => (value < 100_000 ? whole.format(value) : compact.format(value))
/** `97.3%`. Only what is whole is shown as `100%`: a share just below it is not rounded up. */
export const rate = (value: number) =>
  value === 0 || value === 1 ? `${value * 100}%` : percent.format(Math.min(value, 0.999))
/** A number of times in a unit of time: whole from 10 on, else with one decimal. */
export const frequency = (value: number) =>
  value === 0 || value >= 10 ? whole.format(Math.round(value)) : value.toFixed(1)
/** `+4%`; from ten times on `×764`. */
export const change = (value: number) =>
  value < 9 ? signed.format(value) : `×${compact.format(Math.round(value + 1))}`
/** The difference of two rates in percentage points. */
export const pointChange = (value: number) => `${points.format(value * 100)} pp`
/** `1 event`, `2 events` */
export const plural = (value: number, one: string, other: string) =>
  `${whole.format(value)} ${rules.select(value) === 'one' ? one : other}`

const options = (zone: Zone, more: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(locale, { hourCycle: 'h23', ...(zone === 'utc' && { timeZone: 'UTC' }), ...more })

type Formats = {
  clock: Intl.DateTimeFormat
  date: Intl.DateTimeFormat
  both: Intl.DateTimeFormat
  minute: Intl.DateTimeFormat
}
const formats = {} as Record<Zone, Formats>
function formatsOf(zone: Zone): Formats {
  formats[zone] ??= {
    clock: options(zone, { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 }),
    minute: options(zone, { hour: '2-digit', minute: '2-digit' }),
    date: options(zone, { day: 'numeric', month: 'short', year: 'numeric' }),
    both: options(zone, { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit' }),
  }
  return formats[zone]
}

/** `12:04:31.204` */
export const clock = (at: number, zone: Zone) => formatsOf(zone).clock.format(at)
/** `12:04` */
export const minute = (at: number, zone: Zone) => formatsOf(zone).minute.format(at)
/** `23 Nov 2026` */
export const date = (at: number, zone: Zone) => formatsOf(zone).date.format(at)
/** `23 Nov, 12:04:31` */
export const moment = (at: number, zone: Zone) => formatsOf(zone).both.format(at)

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** `3 minutes ago`, `in 20 seconds` */
export function ago(at: number, now: number): string {
  const distance = at - now
  const [unit, ms] = units.find(([, each]) => Math.abs(distance) >= each) ?? ['second', 1_000]
  return relative.format(Math.trunc(distance / ms), unit)
}

/** `412 ms`, `1.4 s`, `18 min`, `3 h`, `2 d` */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${Number((ms / 1_000).toFixed(ms < 10_000 ? 1 : 0))} s`
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`
  return ms < 172_800_000 ? `${Math.round(ms / 3_600_000)} h` : `${Math.round(ms / 86_400_000)} d`
}

/** `2.4 KB` */
export const bytes = (value: number) =>
  value < 1_024
    ? `${value} B`
    : value < 1_048_576
      ? `${(value / 1_024).toFixed(1)} KB`
      : `${(value / 1_048_576).toFixed(1)} MB`

/** `consent, region and filtered` */
export const list = (words: readonly string[]) => new Intl.ListFormat(locale, { type: 'conjunction' }).format(words)
