import type { Query } from '#dashboard/addresses.ts'
import { timeOf } from '#dashboard/list/filters.ts'

/** The ranges that a page offers, in ms. */
export const ranges = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000, '30d': 2_592_000_000 } as const
export type RangeName = keyof typeof ranges
export type Step = 'minute' | 'hour' | 'day'
export type ChartRange = { from: number; to: number; step: Step }

const stepMs: Record<Step, number> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }
export const msOf = (step: Step) => stepMs[step]

/** The shortest step that makes at most 300 points. */
export const stepOf = (lengthMs: number): Step =>
  lengthMs <= 300 * stepMs.minute ? 'minute' : lengthMs <= 300 * stepMs.hour ? 'hour' : 'day'

export const isRangeName = (text: string | undefined): text is RangeName =>
  text !== undefined && Object.hasOwn(ranges, text)

/** The range of an address: its own times, else the last hours. `now` is rounded up, so that a range can be cached. */
export function rangeOf(query: Query, now: number, fallback: RangeName = '1h'): ChartRange {
  const [from, to] = [timeOf(query.from), timeOf(query.to)]
  if (from !== undefined && to !== undefined && from < to) return { from, to, step: stepOf(to - from) }
  const lengthMs = ranges[isRangeName(query.range) ? query.range : fallback]
  const step = stepOf(lengthMs)
  const grainMs = 10_000
  const end = Math.ceil(now / grainMs) * grainMs
  return { from: end - lengthMs, to: end, step }
}

/** The previous range of the same length. */
export const rangeBefore = ({ from, to, step }: ChartRange): ChartRange => ({
  from: from - (to - from),
  to: from,
  step,
})

/** The relative change of a value; undefined without a previous value. */
export const changeOf = (value: number, before: number | undefined) =>
  before === undefined || before === 0 ? undefined : (value - before) / before

/** The start of the range that a point or a selection of the chart covers, in whole steps. */
export function selectedRange(from: number, to: number, step: Step): { from: number; to: number } {
  const ms = stepMs[step]
  const start = Math.floor(from / ms) * ms
  return { from: start, to: Math.max(Math.ceil(to / ms) * ms, start + ms) }
}
