import type { Clock } from '#kit/clock.ts'
import type { Meter } from '#kit/meter.ts'
import type { Stream, StreamEntry } from './stream.ts'

/** The measurements that decide whether events are refused. */
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

/** Events are refused beyond these thresholds, so that neither memory nor the disk fills up. */
type OverloadLimits = IntakeGauges

const megabyte = 1024 * 1024
export const defaultOverloadLimits: OverloadLimits = {
  openBytes: 64 * megabyte,
  commitAgeMs: 5_000,
  loopDelayMs: 1_000,
  freeBytes: 64 * megabyte,
}

export const overloadCauses = ['disk', 'commit', 'memory', 'eventLoop'] as const
type OverloadCause = (typeof overloadCauses)[number]

/** The cause of an overload, the seconds after which to retry, and a message for operators. */
type Overload = { pressure: OverloadCause; afterSeconds: number; message: string }

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
      message: `no event has been confirmed as stored for ${now.commitAgeMs} ms`,
    }
  if (now.openBytes > limits.openBytes)
    return {
      pressure: 'memory',
      afterSeconds: 1,
      message: `${mb(now.openBytes)} of events are waiting for the disk`,
    }
  if (now.loopDelayMs > limits.loopDelayMs)
    return { pressure: 'eventLoop', afterSeconds: 1, message: `the event loop is ${now.loopDelayMs} ms late` }
  return undefined
}

/** The bytes that a request holds in memory, until `release`. */
type MemoryCount = { add(bytes: number): void; release(): void }

/** The event shards of tags. A shard that stores nothing must not block the others. */
type ShardLookup = { count: number; ofTag(tagId: string): number }

export type Intake = Pick<Stream, 'append'> & {
  /** Seconds after which to retry; undefined while events of the tag (without one: of any tag) are accepted. */
  retryAfterSeconds(tagId?: string): number | undefined
  /** Why events of the tag (without one: of all tags) are refused; undefined while they are accepted. */
  overload(tagId?: string): Overload | undefined
  /** Free space on the disk of the data directory: the latest sample, in bytes. */
  freeBytes(): number
  /** Counts the memory of a request to a tag. `add` never throws: check `isFull` before reading more. */
  countMemory(tagId: string): MemoryCount
  /** True while twice the limit of `openBytes` is in use: bodies of the tag are then not read to their end. */
  isFull(tagId: string): boolean
}

const oneShard: ShardLookup = { count: 1, ofTag: () => 0 }
/**
 * If there are several shards, a shard that uses more than this part of the memory has its tags refused. At twice this
 * part (`isFull`), a third of the memory is left for the others.
 */
const shareOfShard = 1 / 3

/**
 * A team that uses less than this part of the memory may also use the reserve, so that no team alone causes refusals
 * for another.
 */
const smallPart = 1 / 4
const reservePart = 1 / 2

/** The entries that wait for the database of one shard. */
type Waiting = { bytes: number; entries: number; progressAt: number }

type IntakeDeps = {
  clock: Pick<Clock, 'now'>
  /** The latest sample. */
  freeBytes(): number
  loopDelayMs?(): number
  limits?: Partial<OverloadLimits>
  shards?: ShardLookup
  /** The team that owns a tag. By default, each tag counts by itself. */
  teamOf?(tagId: string): string
}

/** The memory in use: in total, by shard and by team. `openBytes`: the total limit. */
function openMemory({
  shards,
  teamOf,
  openBytes,
}: Required<Pick<IntakeDeps, 'shards' | 'teamOf'>> & { openBytes: number }) {
  const waiting = Array.from({ length: shards.count }, (): Waiting => ({ bytes: 0, entries: 0, progressAt: 0 }))
  const waitingOf = (tagId: string) => waiting[shards.ofTag(tagId)]!
  const byTeam = new Map<string, number>()
  let all = 0
  /**
   * Returns a function that adds bytes to the current shard and team of a tag, which may be deleted before the bytes
   * are released.
   */
  function memoryOf(tagId: string): (bytes: number) => void {
    const [shard, team] = [waitingOf(tagId), teamOf(tagId)]
    return (bytes) => {
      shard.bytes += bytes
      all += bytes
      const left = (byTeam.get(team) ?? 0) + bytes
      if (left > 0) byTeam.set(team, left)
      else byTeam.delete(team)
    }
  }
  /** The bytes in use, less the reserve if the tag's team may use it. */
  const openFor = (tagId: string) =>
    all - ((byTeam.get(teamOf(tagId)) ?? 0) <= smallPart * openBytes ? reservePart * openBytes : 0)
  return { waiting, waitingOf, memoryOf, all: () => all, openFor }
}

/**
 * Measures the load of the stream: bytes that are not on disk, the time without a commit, the delay of the event loop,
 * and the free disk space. If there are several shards, each has its own time without a commit and a share of the
 * memory. Teams that use little memory have a reserve.
 */
export function openIntake(stream: Pick<Stream, 'append'>, deps: IntakeDeps): Intake {
  const { clock, freeBytes, loopDelayMs = () => 0, shards = oneShard, teamOf = (tagId: string) => tagId } = deps
  const limits = { ...defaultOverloadLimits, ...deps.limits }
  const share = shards.count > 1 ? limits.openBytes * shareOfShard : Number.POSITIVE_INFINITY
  const { waiting, waitingOf, memoryOf, all, openFor } = openMemory({ shards, teamOf, openBytes: limits.openBytes })
  const ageOf = ({ entries, progressAt }: Waiting) => (entries > 0 ? clock.now() - progressAt : 0)
  const overloadOf = (commitAgeMs: number, bytes: number) =>
    findOverload({ openBytes: bytes, commitAgeMs, loopDelayMs: loopDelayMs(), freeBytes: freeBytes() }, limits)
  function overload(tagId?: string): Overload | undefined {
    if (tagId === undefined) return overloadOf(Math.min(...waiting.map(ageOf)), all())
    const shard = waitingOf(tagId)
    const idle = { commitAgeMs: 0, loopDelayMs: 0, freeBytes: Number.POSITIVE_INFINITY }
    return (
      overloadOf(ageOf(shard), openFor(tagId)) ??
      findOverload({ ...idle, openBytes: shard.bytes }, { ...limits, openBytes: share })
    )
  }
  return {
    append(entry: StreamEntry) {
      const bytes = entry.payload.length
      const shard = waitingOf(entry.tagId)
      if (shard.entries++ === 0) shard.progressAt = clock.now()
      const addBytes = memoryOf(entry.tagId)
      addBytes(bytes)
      const onEnd = () => {
        addBytes(-bytes)
        shard.entries--
        shard.progressAt = clock.now()
      }
      const appended = stream.append(entry)
      appended.then(onEnd, onEnd)
      return appended
    },
    overload,
    retryAfterSeconds: (tagId) => overload(tagId)?.afterSeconds,
    freeBytes,
    isFull: (tagId) => openFor(tagId) > 2 * limits.openBytes || waitingOf(tagId).bytes > 2 * share,
    countMemory(tagId) {
      const addBytes = memoryOf(tagId)
      let counted = 0
      return {
        add(bytes) {
          counted += bytes
          addBytes(bytes)
        },
        release() {
          addBytes(-counted)
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
