import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { type DurationHistogram, openHistograms } from './histograms.ts'

export type { DurationHistogram }

/** A monotonic counter. */
export type Counter = { add(by?: number): void }

/**
 * Counters, gauges and histograms of the metrics page. Adding to a counter is one addition. Reading the page changes no
 * value.
 */
export type Meter = {
  /** Returns the counter of a name and labels. Names follow Prometheus: `aglet_events_total`. */
  counter(name: string, help: string, labels?: Record<string, string>): Counter
  /** A gauge whose value is read when the page is requested. */
  gauge(name: string, help: string, read: () => number, labels?: Record<string, string>): void
  /**
   * Returns the histogram of a name and labels. `bounds`: the upper bounds of its buckets, ascending, in seconds unless
   * the name says otherwise; the same at each call for a name. Names follow Prometheus:
   * `aglet_intake_duration_seconds`.
   */
  histogram(name: string, help: string, bounds: readonly number[], labels?: Record<string, string>): DurationHistogram
}

export const noMeter: Meter = { counter: () => ({ add() {} }), gauge() {}, histogram: () => ({ record() {} }) }

/** A meter that adds these labels to every metric. */
export const withLabels = (meter: Meter, shared: Record<string, string>): Meter => ({
  counter: (name, help, labels) => meter.counter(name, help, { ...shared, ...labels }),
  gauge: (name, help, read, labels) => meter.gauge(name, help, read, { ...shared, ...labels }),
  histogram: (name, help, bounds, labels) => meter.histogram(name, help, bounds, { ...shared, ...labels }),
})

/** Bounds for steps within this server, from one millisecond to the longest time that a caller waits. */
export const localBoundsSeconds: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]

/** A meter with a page in the Prometheus text format. */
export type OpenMeter = Meter & { page(): Promise<string>; close(): Promise<void> }

type Labels = Record<string, string>
type Series = { labels: Labels; read(): number; count: number }

/** One OpenTelemetry instrument for each name, which observes the series of all labels. */
type Instruments = (kind: 'Counter' | 'Gauge', name: string, help: string) => Map<string, Series>

function instrumentsOf(provider: MeterProvider): Instruments {
  const meter = provider.getMeter('aglet')
  const byName = new Map<string, Map<string, Series>>()
  return (kind, name, description) => {
    const known = byName.get(name)
    if (known) return known
    const series = new Map<string, Series>()
    byName.set(name, series)
    meter[`createObservable${kind}`](name, { description }).addCallback((result) => {
      for (const { labels, read } of series.values()) result.observe(read(), labels)
    })
    return series
  }
}

function counterSeries(labels: Labels): Series {
  const series: Series = { labels, count: 0, read: () => series.count }
  return series
}

const keyOf = (labels: Labels) => JSON.stringify(Object.entries(labels).sort())

/** Opens a meter on OpenTelemetry with the metrics of the process. It opens no port and sends nothing. */
export function openMeter(): OpenMeter {
  const reader = new PrometheusExporter({ preventServerStart: true })
  const provider = new MeterProvider({ readers: [reader] })
  const instruments = instrumentsOf(provider)
  const histograms = openHistograms()
  const histogram: Meter['histogram'] = (name, help, bounds, labels = {}) =>
    histograms.of(name, help, bounds, labels, keyOf(labels))
  const serializer = new PrometheusSerializer('', false, undefined, true, true)
  meterProcess(instruments)
  const stopLoop = meterLoopDelay(histogram)
  return {
    histogram,
    counter(name, help, labels = {}) {
      const all = instruments('Counter', name, help)
      const key = keyOf(labels)
      const one = all.get(key) ?? counterSeries(labels)
      all.set(key, one)
      return {
        add(by = 1) {
          one.count += by
        },
      }
    },
    gauge(name, help, read, labels = {}) {
      instruments('Gauge', name, help).set(keyOf(labels), { labels, read, count: 0 })
    },
    async page() {
      const { resource, scopeMetrics } = (await reader.collect()).resourceMetrics
      return serializer.serialize({ resource, scopeMetrics: [...scopeMetrics, histograms.read()] })
    },
    async close() {
      stopLoop()
      await provider.shutdown()
    },
  }
}

/** Memory and processor time, with the names of Prometheus clients. */
function meterProcess(instruments: Instruments): void {
  const add = (kind: 'Counter' | 'Gauge', name: string, help: string, read: () => number) =>
    instruments(kind, name, help).set('', { labels: {}, read, count: 0 })
  add('Gauge', 'process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss())
  add('Counter', 'process_cpu_seconds_total', 'Processor time, user and system, since the start.', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
}

/** A timer of 20 ms caused a fifth of the cost of an idle process. */
const loopSampleMs = 200

/** Records how late a timer of 200 ms fires. Returns a function that stops it. Does not keep the process alive. */
function meterLoopDelay(histogram: Meter['histogram']): () => void {
  const help = 'How late a timer of 200 ms fires.'
  const delay = histogram('aglet_event_loop_delay_seconds', help, localBoundsSeconds)
  let dueAt = performance.now() + loopSampleMs
  const timer = setInterval(() => {
    const at = performance.now()
    delay.record((at - dueAt) / 1_000)
    dueAt = at + loopSampleMs
  }, loopSampleMs)
  timer.unref()
  return () => clearInterval(timer)
}
