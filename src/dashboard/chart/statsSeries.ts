import type { Stats } from '#contract/stats.ts'
import { fillSteps } from './series.ts'

type Point = Stats['series'][number]

/** The series of statistics with a point for every step of their range. */
export const filledSeries = (stats: Stats): Point[] =>
  fillSteps<Point>(stats.series, stats, (at) => ({ at, events: 0, refusedCalls: 0, counts: {}, latency: {} }))
