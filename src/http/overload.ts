import type { Clock } from '#kit/clock.ts'
import type { Meter } from '#kit/meter.ts'
import type { Entry, Stream } from '#stream/stream.ts'

/** What the intake is measured by. */
export type Gauges = {
  /** Bytes of bodies that are being read, worked on, or on their way to the disk. */
  openBytes: number
  /** For how long no commit has come back, while one is waited for. */
  commitAgeMs: number
  /** How late the event loop came, over the last few looks at the least. */
  loopDelayMs: number
  /** Room on the disk. */
  freeBytes: number
}

/** From where on the intake says no instead of letting memory or the disk run full. */
export type OverloadLimits = Gauges

const megabyte = 1024 * 1024
export const usualLimits: OverloadLimits = {
  openBytes: 64 * megabyte,
  commitAgeMs: 5_000,
  loopDelayMs: 1_000,
  freeBytes: 64 * megabyte,
}

export const pressures = ['disk', 'commit', 'memory', 'eventLoop'] as const
export type Pressure = (typeof pressures)[number]

/** What there is too much of, or too little; when to come again, and the sentence that says so. */
export type Overload = { pressure: Pressure; afterSeconds: number; why: string }

const mb = (bytes: number) => `${Math.floor(bytes / megabyte)} MB`

/** Why no event can be taken; undefined while all is well. The first that holds is the one that is told. */
export function overloadOf(now: Gauges, limits: OverloadLimits): Overload | undefined {
  if (now.freeBytes < limits.freeBytes) {
    const why = `the disk has ${mb(now.freeBytes)} left, less than ${mb(limits.freeBytes)} (AGLET_MIN_FREE_MB)`
    return { pressure: 'disk', afterSeconds: 30, why }
  }
  if (now.commitAgeMs > limits.commitAgeMs)
    return { pressure: 'commit', afterSeconds: 1, why: `the disk has confirmed nothing for ${now.commitAgeMs} ms` }
  if (now.openBytes > limits.openBytes)
    return { pressure: 'memory', afterSeconds: 1, why: `${mb(now.openBytes)} of events are on their way to the disk` }
  if (now.loopDelayMs > limits.loopDelayMs)
    return { pressure: 'eventLoop', afterSeconds: 1, why: `the event loop comes ${now.loopDelayMs} ms late` }
  return undefined
}

/** Bytes that somebody holds in memory, until they are let go. */
export type Holding = { add(bytes: number): void; letGo(): void }

export type Intake = Pick<Stream, 'append'> & {
  /** Seconds after which to come again, while no event can be taken. */
  busy(): number | undefined
  /** Why no event can be taken. */
  overload(): Overload | undefined
  /** Counts what a request brings. `add` throws nothing: ask `isFull` before more is read. */
  hold(): Holding
  /** Room on the disk, as it was last looked at. */
  freeBytes(): number
  /** Twice as much is open as is taken: what comes now is not even read to its end. */
  isFull(): boolean
}

/**
 * Watches what is on its way into the stream: bytes not yet on disk, for how long no commit came back, the event loop, and
 * the disk's room, which `freeBytes` tells as it was last looked at.
 */
export function watchIntake(
  stream: Pick<Stream, 'append'>,
  on: {
    clock: Pick<Clock, 'now'>
    freeBytes(): number
    loopDelayMs?(): number
    limits?: Partial<OverloadLimits>
  },
): Intake {
  const limits = { ...usualLimits, ...on.limits }
  let openBytes = 0
  let openEntries = 0
  let progressAt = 0
  const ended = (bytes: number) => {
    openBytes -= bytes
    openEntries--
    progressAt = on.clock.now()
  }
  const overload = () =>
    overloadOf(
      {
        openBytes,
        commitAgeMs: openEntries > 0 ? on.clock.now() - progressAt : 0,
        loopDelayMs: on.loopDelayMs?.() ?? 0,
        freeBytes: on.freeBytes(),
      },
      limits,
    )
  return {
    append(entry: Entry) {
      const bytes = entry.payload.length
      if (openEntries++ === 0) progressAt = on.clock.now()
      openBytes += bytes
      const done = () => ended(bytes)
      const appended = stream.append(entry)
      appended.then(done, done)
      return appended
    },
    overload,
    busy: () => overload()?.afterSeconds,
    freeBytes: on.freeBytes,
    isFull: () => openBytes > 2 * limits.openBytes,
    hold() {
      let held = 0
      return {
        add(bytes) {
          held += bytes
          openBytes += bytes
        },
        letGo() {
          openBytes -= held
          held = 0
        },
      }
    },
  }
}

/** On the metrics page: what presses on the intake of an environment (1 while events are refused because of it), and the disk's room. */
export function meterOverload(
  intake: Pick<Intake, 'overload' | 'freeBytes'>,
  meter: Meter,
  labels: Record<string, string>,
): void {
  meter.gauge('aglet_disk_free_bytes', 'Room on the disk of the data directory.', intake.freeBytes, labels)
  for (const pressure of pressures)
    meter.gauge(
      'aglet_overload',
      'Whether events are refused, by what there is too much of.',
      () => (intake.overload()?.pressure === pressure ? 1 : 0),
      { ...labels, pressure },
    )
}
