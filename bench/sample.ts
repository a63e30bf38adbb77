import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../test/fake/aglet.ts'
import { cpuSeconds, forSeconds, load, loadAt, type MakeAsk, median, quantile, times, writtenKb } from './load.ts'
import type { Figure } from './part.ts'
import type { Target, Vendor } from './target.ts'

type Length = { seconds: number; isQuick: boolean }

export type Sample = Partial<Record<Figure, number>>
const connections = 64

/** Elapsed time and CPU time of some work of a target, per unit. The CPU time includes what the target does in `afterMs`. */
async function timed(target: Pick<Target, 'pid'>, work: () => Promise<number>, afterMs = 0): Promise<Sample> {
  const [cpu, begun] = [cpuSeconds(target.pid), performance.now()]
  const count = await work()
  const tookS = (performance.now() - begun) / 1_000
  if (afterMs > 0) await wait(afterMs)
  const spent = cpuSeconds(target.pid) - cpu
  return { perCpuSecond: count / spent, perSecond: count / tookS, cpuUs: (spent / count) * 1e6 }
}

/**
 * Events until V8 has compiled what they run: of an event to one channel, compiling still takes 26 µs after 80,000 events, and
 * little after 200,000.
 */
export const steadyEvents = 200_000

/** `perBody`: the events of a request. */
export const warmIntake = (target: Pick<Target, 'url'>, ask: MakeAsk, perBody: number): Promise<number> =>
  load({ url: target.url, connections, ask, while: times(Math.ceil(steadyEvents / perBody)) })

/** Requests answered at the maximum rate. */
export const sampleIntake = (target: Target, seconds: number, ask: MakeAsk): Promise<Sample> =>
  timed(target, () => load({ url: target.url, connections, ask, while: forSeconds(seconds) }))

/**
 * How long latencies are measured. In a shorter time, the pauses of one collection of the whole heap would be more than a
 * hundredth of the events.
 */
export const latencySeconds = ({ seconds, isQuick }: Length): number => (isQuick ? seconds : Math.max(seconds, 20))

/** The latency of answers at a constant rate. */
export async function sampleLatency(target: Target, perSecond: number, seconds: number, ask: MakeAsk): Promise<Sample> {
  const lateMs = await loadAt({ url: target.url, perSecond, seconds, ask })
  return { p50Ms: median(lateMs), p99Ms: quantile(lateMs, 0.99) }
}

export type Through = { vendor: Vendor; events: number; channels: number; ask: MakeAsk }

/**
 * Deliveries until the last has arrived at the vendor: this many events, as fast as they are accepted. CPU and disk include what
 * the target does in the `afterMs` that follow.
 */
export async function sampleDelivery(
  target: Target,
  { vendor, events, channels, ask }: Through,
  afterMs = 0,
): Promise<Sample> {
  const before = await vendor.count()
  const all = events * channels
  const kb = writtenKb(target.pid)
  const deliver = async () => {
    await load({ url: target.url, connections, ask, while: times(events) })
    await until(async () => (await vendor.count()) >= before + all, 300_000)
    return all
  }
  const sample = await timed(target, deliver, afterMs)
  await vendor.told() // reset, otherwise it would grow with every sample
  return { ...sample, writtenKb: (writtenKb(target.pid) - kb) / events }
}

/** The latency from an event's due time until its arrival at the vendor, at a constant rate. */
export async function sampleArrival(
  target: Target,
  { vendor, perSecond, seconds, ask }: { vendor: Vendor; perSecond: number; seconds: number; ask: MakeAsk },
): Promise<Sample> {
  await vendor.told()
  const before = await vendor.count()
  const lateMs = await loadAt({ url: target.url, perSecond, seconds, ask })
  await until(async () => (await vendor.count()) >= before + lateMs.length, 120_000)
  const [told] = Object.values(await vendor.told())
  return { p50Ms: told!.p50, p99Ms: told!.p99 }
}

/** Events before a comparison of sizes. With many channels each event runs the code often. */
export const warmEvents = (channels: number) => Math.ceil(150_000 / Math.max(5, channels))

/** The number of events for a sample of this duration, from a run after a warm-up of `warm` events. */
export async function eventsFor(
  target: Target,
  { seconds, isQuick }: Length,
  through: Omit<Through, 'events'>,
  warm = warmEvents(through.channels),
): Promise<number> {
  const some = Math.ceil(600 / through.channels)
  await sampleDelivery(target, { ...through, events: isQuick ? some : warm })
  const { perSecond } = await sampleDelivery(target, { ...through, events: some })
  return Math.max(some, Math.round((perSecond! * seconds) / through.channels))
}

/** ABAB: one round of all before the next, so that a slow minute of the machine affects all alike. Returns a summary of each, in order. */
export async function interleaved<Some>(
  all: readonly Some[],
  rounds: number,
  sample: (one: Some) => Promise<Sample>,
): Promise<Sample[]> {
  const samples = all.map(() => [] as Sample[])
  for (let round = 0; round < rounds; round++) for (const [n, one] of all.entries()) samples[n]!.push(await sample(one))
  return samples.map(summary)
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/** The mean of what was written, because a checkpoint of the database falls into some samples only; else medians. */
const summary = (samples: readonly Sample[]): Sample => {
  const names = Object.keys(samples[0]!) as Figure[]
  const of = (name: Figure) => (name === 'writtenKb' ? mean : median)(samples.map((each) => each[name]!))
  return Object.fromEntries(names.map((name) => [name, of(name)]))
}

/** Adds the ratio of each to the first, which is the limit. */
export const withRatio = (samples: readonly Sample[]): Sample[] =>
  samples.map((each) => ({ ...each, ratio: each.perCpuSecond! / samples[0]!.perCpuSecond! }))

/** Adds the cost increase of each over the first, which is the smallest. */
export const withGrowth = (samples: readonly Sample[]): Sample[] =>
  samples.map((each) => ({ ...each, growth: each.cpuUs! / samples[0]!.cpuUs! }))
