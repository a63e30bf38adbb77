import { ValueType } from '@opentelemetry/api'
import {
  AggregationTemporality,
  DataPointType,
  type HistogramMetricData,
  type ScopeMetrics,
} from '@opentelemetry/sdk-metrics'

/** A distribution of durations in seconds, or of numbers if its name says so, since the start of the process. */
export type DurationHistogram = { record(value: number): void }

type Labels = Record<string, string>
type Series = { labels: Labels; counts: number[]; sum: number; count: number }
type Named = { help: string; bounds: readonly number[]; series: Map<string, Series> }

type Histograms = {
  /** The histogram of a name and labels; see `Meter`. */
  of(name: string, help: string, bounds: readonly number[], labels: Labels, key: string): DurationHistogram
  /** Everything recorded since the start, in OpenTelemetry's form. */
  read(): ScopeMetrics
}

/**
 * Histograms that are read when the page is requested. The instruments of OpenTelemetry sort and hash the labels at each
 * record.
 */
export function openHistograms(): Histograms {
  const startTime = [Math.floor(Date.now() / 1_000), 0] as [number, number]
  const named = new Map<string, Named>()

  const dataOf = ([name, { help, bounds, series }]: [string, Named]): HistogramMetricData => ({
    descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
    dataPointType: DataPointType.HISTOGRAM,
    // a series without a record is omitted
    dataPoints: [...series.values()]
      .filter(({ count }) => count > 0)
      .map(({ labels, counts, sum, count }) => ({
        startTime,
        endTime: [Math.floor(Date.now() / 1_000), 0],
        attributes: labels,
        value: { buckets: { boundaries: [...bounds], counts: [...counts] }, sum, count },
      })),
  })
  return {
    of(name, help, bounds, labels, key) {
      const histogram = named.get(name) ?? { help, bounds, series: new Map() }
      named.set(name, histogram)
      const none: Series = { labels, counts: histogram.bounds.map(() => 0).concat(0), sum: 0, count: 0 }
      const series = histogram.series.get(key) ?? none
      histogram.series.set(key, series)
      return { record: (value) => add(series, histogram.bounds, Math.max(0, value)) }
    },
    read: () => ({
      scope: { name: 'aglet' },
      metrics: [...named].map(dataOf).filter(({ dataPoints }) => dataPoints.length > 0),
    }),
  }
}

/** A bound belongs to its bucket. The last bucket has no bound. */
function add(series: Series, bounds: readonly number[], value: number): void {
  let bucket = 0
  while (bucket < bounds.length && value > bounds[bucket]!) bucket++
  series.counts[bucket]!++
  series.sum += value
  series.count++
}
