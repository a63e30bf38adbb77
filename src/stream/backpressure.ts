import type { Clock } from '#kit/clock.ts'
import type { Meter } from '#kit/meter.ts'
import type { Stream, StreamEntry } from './stream.ts'

/** The measurements that decide about overload. */
export type IntakeGauges = {
  /** Bytes of bodies that are being received, parsed or written. */
  openBytes: number
  /** Time since the last commit, or since the wait for it began; 0 while none is pending. */
  commitAgeMs: number
  /** Delay of the event loop: the minimum of the last few samples. */
  loopDelayMs: number
  /** Free space on the disk. */
  freeBytes: number
}

/** The thresholds beyond which events are refused, so that neither memory nor the disk fills up. */
export type OverloadLimits = IntakeGauges

const megabyte = 1024 * 1024
export const defaultOverloadLimits: OverloadLimits = {
  openBytes: 64 * megabyte,
  commitAgeMs: 5_000,
  loopDelayMs: 1_000,
  freeBytes: 64 * megabyte,
}

export const overloadCauses = ['disk', 'commit', 'memory', 'eventLoop'] as const
export type OverloadCause = (typeof overloadCauses)[number]

/** The cause of an overload, the time after which to retry, and a message for operators. */
export type Overload = { pressure: OverloadCause; afterSeconds: number; message: string }

const mb = (bytes: number) => `${Math.floor(bytes / megabyte)} MB`

/** The first overload that applies, in the order of `overloadCauses`; undefined without any. */
export function findOverload(now: IntakeGauges, limits: OverloadLimits): Overload | undefined {
  if (now.freeBytes < limits.freeBytes) {
    const message = `the disk has ${mb(now.freeBytes)} left, less than ${mb(limits.freeBytes)} (AGLET_MIN_FREE_MB)`
    return { pressure: 'disk', afterSeconds: 30, message }
  }
  if (now.commitAgeMs > limits.commitAgeMs)
    return {
      pressure: 'commit',
      afterSeconds: 1,
      message: `no event was confirmed as stored for ${now.commitAgeMs} ms`,
    }
  if (now.openBytes > limits.openBytes)
    return {
      pressure: 'memory',
      afterSeconds: 1,
      message: `${mb(now.openBytes)} of events are on their way to the disk`,
    }
  if (now.loopDelayMs > limits.loopDelayMs)
    return { pressure: 'eventLoop', afterSeconds: 1, message: `the event loop comes ${now.loopDelayMs} ms late` }
  return undefined
}

/** The bytes that a request holds in memory, until `release`. */
export type MemoryCount = { add(bytes: number): void; release(): void }

export type Intake = Pick<Stream, 'append'> & {
  /** Seconds after which to retry; undefined while events are accepted. */
  retryAfterSeconds(): number | undefined
  /** Why events are refused; undefined while they are accepted. */
  overload(): Overload | undefined
  /** Free space on the disk of the data directory: the latest sample, in bytes. */
  freeBytes(): number
  /** Counts the memory of a request. `add` never throws: check `isFull` before reading more. */
  countMemory(): MemoryCount
  /** True while twice the limit of `openBytes` is in use: bodies are then not read to their end. */
  isFull(): boolean
}

/**
 * Measures the load of the stream: bytes that are not on disk, the time without a commit, the delay of the event loop,
 * and the free disk space, for which `freeBytes` returns the latest sample.
 */
export function openIntake(
  stream: Pick<Stream, 'append'>,
  deps: {
    clock: Pick<Clock, 'now'>
    freeBytes(): number
    loopDelayMs?(): number
    limits?: Partial<OverloadLimits>
  },
): Intake {
  const limits = { ...defaultOverloadLimits, ...deps.limits }
  let openBytes = 0
  let openEntries = 0
  let progressAt = 0
  const onAppendEnd = (bytes: number) => {
    openBytes -= bytes
    openEntries--
    progressAt = deps.clock.now()
  }
  const overload = () =>
    findOverload(
      {
        openBytes,
        commitAgeMs: openEntries > 0 ? deps.clock.now() - progressAt : 0,
        loopDelayMs: deps.loopDelayMs?.() ?? 0,
        freeBytes: deps.freeBytes(),
      },
      limits,
    )
  return {
    append(entry: StreamEntry) {
      const bytes = entry.payload.length
      if (openEntries++ === 0) progressAt = deps.clock.now()
      openBytes += bytes
      const onEnd = () => onAppendEnd(bytes)
      const appended = stream.append(entry)
      appended.then(onEnd, onEnd)
      return appended
    },
    overload,
    retryAfterSeconds: () => overload()?.afterSeconds,
    freeBytes: deps.freeBytes,
    isFull: () => openBytes > 2 * limits.openBytes,
    countMemory() {
      let counted = 0
      return {
        add(bytes) {
          counted += bytes
          openBytes += bytes
        },
        release() {
          openBytes -= counted
          counted = 0
        },
      }
    },
  }
}

/**
 * Exports a gauge for each cause of overload, 1 while events are refused because of it, and the free space on the disk.
 */
export function meterOverload(
  intake: Pick<Intake, 'overload' | 'freeBytes'>,
  meter: Meter,
  labels: Record<string, string>,
): void {
  meter.gauge('aglet_disk_free_bytes', 'Free space on the disk of the data directory.', intake.freeBytes, labels)
  for (const pressure of overloadCauses)
    meter.gauge(
      'aglet_overload',
      'Whether events are refused, by cause of the overload.',
      () => (intake.overload()?.pressure === pressure ? 1 : 0),
      { ...labels, pressure },
    )
}
