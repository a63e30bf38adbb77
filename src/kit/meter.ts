import { monitorEventLoopDelay } from 'node:perf_hooks'
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'

/** A number that only grows. */
export type Counter = { add(by?: number): void }

/** Where numbers are kept until the metrics page reads them: adding costs an addition. */
export type Meter = {
  /** The same name and labels give the same counter. Names and help as Prometheus wants them: `aglet_events_total`. */
  counter(name: string, help: string, labels?: Record<string, string>): Counter
  /** A number that is asked for when the page is read. */
  gauge(name: string, help: string, read: () => number, labels?: Record<string, string>): void
}

export const noMeter: Meter = { counter: () => ({ add() {} }), gauge() {} }

/** A meter whose numbers can be read as Prometheus text. */
export type OpenMeter = Meter & { page(): Promise<string>; close(): Promise<void> }

type Labels = Record<string, string>
type Series = { labels: Labels; read(): number; count: number }

/** One instrument per name, whatever its labels: OpenTelemetry asks it for all of its series at once. */
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

/** Metrics on OpenTelemetry, read when asked for: nothing listens, nothing is sent. Those of the process are there. */
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

/** Memory, processor time and how late the event loop comes. Names as Prometheus clients use them. */
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
    const seconds = Math.max(0, delay.percentile(99) / 1e9 - resolutionMs / 1e3) // it measures from tick to tick
    delay.reset()
    return seconds
  })
  return () => delay.disable()
}
