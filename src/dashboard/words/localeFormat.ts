export type Zone = 'local' | 'utc'

/** Numbers of a locale. */
function numberFormat(locale: string, percentagePoints: string) {
  const numbers = (more: Intl.NumberFormatOptions = {}) => new Intl.NumberFormat(locale, more)
  const whole = numbers()
  const compact = numbers({ notation: 'compact', maximumFractionDigits: 1 })
  const wholePercent = numbers({ style: 'percent' })
  const percent = numbers({ style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 })
  const signed = numbers({ style: 'percent', maximumFractionDigits: 1, signDisplay: 'exceptZero' })
  const points = numbers({ maximumFractionDigits: 1, minimumFractionDigits: 1, signDisplay: 'exceptZero' })
  const tenths = numbers({ minimumFractionDigits: 1, maximumFractionDigits: 1 })
  const rules = new Intl.PluralRules(locale)
  return {
    count: (value: number) => whole.format(value),
    shortCount: (value: number) => (value < 100_000 ? whole.format(value) : compact.format(value)),
    /** `97.3%`. Only exactly 1 is shown as `100%`: a share just below it is not rounded up. */
    rate: (value: number) =>
      value === 0 || value === 1 ? wholePercent.format(value) : percent.format(Math.min(value, 0.999)),
    /** A number per unit of time: whole from 10 on, else with one decimal. */
    frequency: (value: number) => (value === 0 || value >= 10 ? whole.format(Math.round(value)) : tenths.format(value)),
    /** `+4%`; from ten times on `×764`. */
    change: (value: number) => (value < 9 ? signed.format(value) : `×${compact.format(Math.round(value + 1))}`),
    /** The difference between two rates, in percentage points. */
    pointChange: (value: number) => `${points.format(value * 100)} ${percentagePoints}`,
    /** `1 event`, `2 events` */
    plural: (value: number, one: string, other: string) =>
      `${whole.format(value)} ${rules.select(value) === 'one' ? one : other}`,
    /** `€1,240.50` */
    money: (value: number, currency: string) => numbers({ style: 'currency', currency }).format(value),
    /** `2.4 KB` */
    bytes: (value: number) =>
      value < 1_024
        ? `${value} B`
        : value < 1_048_576
          ? `${tenths.format(value / 1_024)} KB`
          : `${tenths.format(value / 1_048_576)} MB`,
  }
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** Times and durations of a locale. */
function timeFormat(locale: string) {
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'long' })
  const seconds = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
  const made = new Map<string, Intl.DateTimeFormat>()
  const written = (more: Intl.DateTimeFormatOptions) => (at: number, zone: Zone) => {
    const key = `${zone} ${Object.keys(more).join()}`
    const format =
      made.get(key) ??
      new Intl.DateTimeFormat(locale, { hourCycle: 'h23', ...(zone === 'utc' && { timeZone: 'UTC' }), ...more })
    made.set(key, format)
    return format.format(at)
  }
  return {
    /** `12:04:31.204` */
    clock: written({ hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 }),
    /** `12:04` */
    minute: written({ hour: '2-digit', minute: '2-digit' }),
    /** `Nov 23, 2026` */
    date: written({ day: 'numeric', month: 'short', year: 'numeric' }),
    /** `Nov 23, 12:04:31` */
    moment: written({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit' }),
    /** `3 minutes ago`, `in 20 seconds` */
    ago(at: number, now: number): string {
      const distance = at - now
      const [unit, ms] = units.find(([, each]) => Math.abs(distance) >= each) ?? ['second', 1_000]
      return relative.format(Math.trunc(distance / ms), unit)
    },
    /** `412 ms`, `1.4 s`, `18 min`, `3 h`, `2 d` */
    duration(ms: number): string {
      if (ms < 1_000) return `${Math.round(ms)} ms`
      if (ms < 60_000) return `${seconds.format(Number((ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)))} s`
      if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`
      return ms < 172_800_000 ? `${Math.round(ms / 3_600_000)} h` : `${Math.round(ms / 86_400_000)} d`
    },
  }
}

/** Numbers, times, plurals and lists as a locale (BCP 47) writes them, by Intl. */
export function localeFormat({ tag, percentagePoints }: { tag: string; percentagePoints: string }) {
  const conjunction = new Intl.ListFormat(tag, { type: 'conjunction' })
  return {
    ...numberFormat(tag, percentagePoints),
    ...timeFormat(tag),
    /** `consent, region and filtered` */
    list: (words: readonly string[]) => conjunction.format(words),
  }
}
