/** The durability of an event when it is answered. */
export const kept = {
  disk: 'on disk, synced',
  memory: 'in memory',
  vendor: 'at the vendor, on no disk here',
  nothing: 'nowhere',
} as const
export type Kept = keyof typeof kept

/** Every figure that a row can have: its heading, and the number of decimals. */
export const figures = {
  perCpuSecond: { heading: 'per CPU second', digits: 0 },
  perSecond: { heading: 'per second', digits: 0 },
  cpuUs: { heading: 'CPU µs each', digits: 1 },
  cpuMs: { heading: 'CPU ms', digits: 1 },
  ratio: { heading: 'of the limit', digits: 2 },
  wallRatio: { heading: 'of the limit, by the clock', digits: 2 },
  growth: { heading: 'cost, smallest size = 1', digits: 2 },
  p50Ms: { heading: 'p50 ms', digits: 2 },
  p99Ms: { heading: 'p99 ms', digits: 2 },
  writtenKb: { heading: 'KB written for an event', digits: 1 },
  startMs: { heading: 'ready after ms', digits: 0 },
  residentMb: { heading: 'resident MB', digits: 0 },
  gzipBytes: { heading: 'bytes, gzip', digits: 0 },
} as const
export type Figure = keyof typeof figures

/** One line of a part's table: what was measured at which size. `keeps` if events were answered. */
export type Row = {
  size: string
  who: string
  keeps?: Kept
  figures: Partial<Record<Figure, number>>
}

/**
 * The extent of the measurements: rounds and seconds for each row, and no size above `largest` (users, tags, waiting
 * deliveries, events of the memory part). `isQuick` omits the peers, nginx and some sizes; `isEvery` gives each provider a
 * row; `beside` is another checkout, whose server gets a row in the delivery part.
 */
export type Scale = {
  rounds: number
  seconds: number
  largest: number
  isQuick: boolean
  isEvery: boolean
  beside?: string
}

/** A part of the benchmark. It emits its rows as soon as it has them. `inQuick`: included in `npm run bench:quick`. */
export type Part = {
  name: string
  /** What is measured, in one sentence. */
  says: string
  inQuick?: true
  /** It measures its own process and its children, which share all cores. */
  onAllCores?: true
  run(scale: Scale, tell: (row: Row) => void): Promise<void>
}

/** The sizes up to the largest allowed one, which replaces those above it. */
export const upTo = (largest: number, sizes: readonly number[]): number[] => [
  ...new Set(sizes.map((size) => Math.min(size, largest))),
]

/** `1 user`, `30,000 users` */
export const counted = (count: number, noun: string) => `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
