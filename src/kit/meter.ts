import { monitorEventLoopDelay } from 'node:perf_hooks'
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'

/** A monotonic counter. */
export type Counter = { add(by?: number): void }

/** Counters and gauges of the metrics page. Adding to a counter is one addition. */
export type Meter = {
  /** Returns the counter of a name and labels. Names follow Prometheus: `aglet_events_total`. */
  counter(name: string, help: string, labels?: Record<string, string>): Counter
  /** A gauge whose value is read when the page is requested. */
  gauge(name: string, help: string, read: () => number, labels?: Record<string, string>): void
}

export const noMeter: Meter = { counter: () => ({ add() {} }), gauge() {} }

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
  const serializer = new PrometheusSerializer('', false, undefined, true, true)
  const stopProcess = meterProcess(instruments)
  return {
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
    page: async () => serializer.serialize((await reader.collect()).resourceMetrics),
    async close() {
      stopProcess()
      await provider.shutdown()
    },
  }
}

/** Memory, processor time and event loop delay, with the names of Prometheus clients. */
function meterProcess(instruments: Instruments): () => void {
  const add = (kind: 'Counter' | 'Gauge', name: string, help: string, read: () => number) =>
    instruments(kind, name, help).set('', { labels: {}, read, count: 0 })
  const resolutionMs = 20
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  add('Gauge', 'process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss())
  add('Counter', 'process_cpu_seconds_total', 'Processor time, user and system, since the start.', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  add('Gauge', 'aglet_event_loop_delay_seconds', 'The 99th percentile since this page was last read.', () => {
    const seconds = Math.max(0, delay.percentile(99) / 1e9 - resolutionMs / 1e3) // it includes the resolution
    delay.reset()
    return seconds
  })
  return () => delay.disable()
}
