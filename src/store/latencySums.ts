import type { LatencyHistogram, Stats } from '#contract/stats.ts'
import { bucketEnds, percentileOf } from '#kit/histogram.ts'
import type { LatencyCount, LatencyKind } from './intake.ts'

type Histograms = Partial<Record<LatencyKind, Map<number, number>>>
type Latency = Stats['latency']
type LatencyPercentiles = Stats['series'][number]['latency']

const roundMs = (ms: number) => Number(ms.toPrecision(3))

function percentilesOf(counts: ReadonlyMap<number, number>): LatencyPercentiles['response'] & object {
  return {
    count: counts.values().reduce((sum, count) => sum + count, 0),
    p50Ms: roundMs(percentileOf(counts, 0.5)),
    p95Ms: roundMs(percentileOf(counts, 0.95)),
    p99Ms: roundMs(percentileOf(counts, 0.99)),
  }
}

const histogramOf = (counts: ReadonlyMap<number, number>): LatencyHistogram => ({
  ...percentilesOf(counts),
  buckets: [...counts]
    .sort(([one], [other]) => one - other)
    .map(([bucket, count]) => ({ toMs: roundMs(bucketEnds[bucket]!), count })),
})

/** Sums of latency histograms: in total, by script, and by step. */
export class LatencySums {
  readonly #all: Histograms = {}
  readonly #byScript = new Map<string, Histograms>()
  readonly #byStep = new Map<number, Histograms>()

  add({ at, scriptId, kind, bucket, count }: Omit<LatencyCount, 'tagId'>): void {
    addTo(this.#all, kind, bucket, count)
    addTo(entryOf(this.#byScript, scriptId), kind, bucket, count)
    addTo(entryOf(this.#byStep, at), kind, bucket, count)
  }

  get steps(): Iterable<number> {
    return this.#byStep.keys()
  }

  all = (): Latency => mapKinds(this.#all, histogramOf)
  ofScript = (scriptId: string): LatencyPercentiles => mapKinds(this.#byScript.get(scriptId) ?? {}, percentilesOf)
  ofStep = (at: number): LatencyPercentiles => mapKinds(this.#byStep.get(at) ?? {}, percentilesOf)
}

function addTo(histograms: Histograms, kind: LatencyKind, bucket: number, count: number): void {
  histograms[kind] ??= new Map()
  histograms[kind].set(bucket, (histograms[kind].get(bucket) ?? 0) + count)
}

function entryOf<Key>(entries: Map<Key, Histograms>, key: Key): Histograms {
  const entry = entries.get(key) ?? {}
  entries.set(key, entry)
  return entry
}

const mapKinds = <Value>(
  { response, delivery }: Histograms,
  map: (counts: ReadonlyMap<number, number>) => Value,
): { response?: Value; delivery?: Value } => ({
  ...(response && { response: map(response) }),
  ...(delivery && { delivery: map(delivery) }),
})
