import type { IntakeReport } from '#contract/intake.ts'
import type { Stats } from '#contract/stats.ts'
import { type ChartRange, msOf } from './range.ts'
import { type ChartLine, fillSteps } from './series.ts'

/** Maximum number of channels with their own line. */
const mostLines = 5
const colorOf = (at: number) => `chart-${at + 1}`

const sumOf = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((sum, each) => sum + each, 0)

/** The tag's intake, with a point for every step: accepted, duplicate and rejected events, and refused calls. */
export function intakeLines(
  { series }: Pick<IntakeReport, 'series'>,
  range: ChartRange,
): { at: number[]; values: Record<'accepted' | 'duplicate' | 'rejected' | 'refused', number[]> } {
  const points = fillSteps(series, range, (at) => ({ at, accepted: 0, duplicate: 0, rejected: 0, refused: {} }))
  return {
    at: points.map(({ at }) => at),
    values: {
      accepted: points.map(({ accepted }) => accepted),
      duplicate: points.map(({ duplicate }) => duplicate),
      rejected: points.map(({ rejected }) => rejected),
      refused: points.map(({ refused }) => sumOf(refused)),
    },
  }
}

export type ChartedLatency = 'response' | 'delivery'
const percentiles = ['p50Ms', 'p95Ms', 'p99Ms'] as const
type PercentileName = (typeof percentiles)[number]

/** Percentiles over time, in ms. A step without a measurement is a gap, not a zero. */
export const latencyLines = (
  points: readonly Pick<Stats['series'][number], 'latency'>[],
  kind: ChartedLatency,
  nameOf: (percentile: PercentileName) => string,
): ChartLine[] =>
  percentiles.map((percentile, at) => ({
    name: nameOf(percentile),
    color: ['chart-1', 'chart-3', 'chart-2'][at]!,
    values: points.map(({ latency }) => latency[kind]?.[percentile] ?? null),
  }))

type Counts = Stats['byScript'][number]['counts']
const failedOf = ({ refused = 0, dead = 0 }: Counts) => refused + dead
const endedOf = (counts: Counts) => failedOf(counts) + (counts.delivered ?? 0)

/** The share of failed deliveries, or a gap if none finished. */
const failureRate = (counts: Counts): number | null => {
  const ended = endedOf(counts)
  return ended === 0 ? null : failedOf(counts) / ended
}

/** The share of failed deliveries over time, for the channels with the most failures. */
export function failureLines(
  { byScript, ...range }: Pick<Stats, 'byScript' | 'from' | 'to' | 'step'>,
  nameOf: (scriptId: string) => string,
): ChartLine[] {
  const worst = byScript
    .filter(({ series, counts }) => series && failedOf(counts) > 0)
    .sort((one, other) => failedOf(other.counts) - failedOf(one.counts))
    .slice(0, mostLines)
  return worst.map(({ scriptId, series = [] }, at) => ({
    name: nameOf(scriptId),
    color: colorOf(at),
    values: fillSteps<{ at: number; counts: Counts }>(series, range, (time) => ({ at: time, counts: {} })).map(
      ({ counts }) => failureRate(counts),
    ),
  }))
}

/** A moment that a chart marks, such as a deployment. */
export type ChartMark = { at: number; name: string }

/** The marks of the step that begins at a time. */
export const marksIn = (marks: readonly ChartMark[], at: number, step: ChartRange['step']): ChartMark[] =>
  marks.filter((mark) => mark.at >= at && mark.at < at + msOf(step))
