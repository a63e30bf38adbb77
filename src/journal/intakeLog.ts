import { randomInt } from 'node:crypto'
import type { LiveRefusal, SeenCaller } from '#contract/intake.ts'
import type { Clock } from '#kit/clock.ts'
import { bucketOf } from '#kit/histogram.ts'
import type { Log } from '#kit/log.ts'
import { type DeliveredEvent, openMatchCounter } from '#match/matchCounter.ts'
import {
  type IntakeBatch,
  type IntakeCount,
  keptRefusals,
  type LatencyCount,
  type LatencyKind,
  type RefusalRecord,
  type RepeatCount,
  type SeenCallerRecord,
} from '#store/intake.ts'
import type { MatchCount } from '#store/matchCounts.ts'
import { writePeriodically } from '#store/periodicWrite.ts'
import type { Store } from '#store/store.ts'

/** Counts events, refusals and callers of the tags, and delivery times. Written every 5 seconds; a crash loses newer counts. */
export type IntakeLog = {
  countEvents(tagId: string, result: 'accepted' | 'duplicate' | 'rejected', events: number): void
  addRefusal(tagId: string, refusal: Omit<LiveRefusal, 'at'>): void
  /** Counts a repeated event, by its deduplication key. */
  addRepeat(tagId: string, key: bigint): void
  addCaller(tagId: string, caller: Omit<SeenCaller, 'at'>): void
  addLatency(of: { tagId: string; scriptId: string }, kind: LatencyKind, ms: number): void
  /** Counts the match keys of an event that a channel has delivered. */
  addMatch(delivered: DeliveredEvent): void
  /** Calls `listener` for each refused call of a tag, until it is disposed of. */
  onRefusal(tagId: string, listener: (refusal: LiveRefusal) => void): Disposable
  /** Resolves when all earlier counts are on disk, or when the write failed and the counts are kept. */
  flush(): Promise<void>
}

/** Counts nothing: for simulations and tests. */
export const noIntakeLog: IntakeLog = {
  countEvents() {},
  addRefusal() {},
  addCaller() {},
  addRepeat() {},
  addLatency() {},
  addMatch() {},
  onRefusal: () => ({ [Symbol.dispose]() {} }),
  flush: async () => {},
}

type IntakeLogDeps = { clock: Clock; store: Pick<Store, 'write'>; log: Log }

const minuteMs = 60_000
const flushMs = 5_000
/**
 * The maximum number of rows of each kind between two writes. Further rows are dropped, because strangers choose hosts
 * and origins.
 */
const maxRows = { counts: 100_000, latencies: 100_000, refusals: 5_000, seen: 5_000, repeats: 10_000, matches: 100_000 }

/** Rows whose counts are added up by key, at most `max` keys. */
function countedRows<Row extends { count: number }>(max: number) {
  let rows = new Map<string, Row>()
  return {
    add(key: string, row: Row): void {
      const known = rows.get(key)
      if (known) known.count += row.count
      else if (rows.size < max) rows.set(key, row)
    },
    take(): Row[] {
      const taken = [...rows.values()]
      rows = new Map()
      return taken
    },
  }
}

/**
 * Adds up the counts of equal rows, in one list for each tag or channel. A list is searched from its end, where the few
 * rows of the current minute are. This costs less than a key of text for each row.
 */
function listedRows<Row extends { count: number }>(
  max: number,
  ownerOf: (row: Row) => string,
  isSame: (one: Row, other: Row) => boolean,
) {
  let rows = new Map<string, Row[]>()
  let size = 0
  return {
    add(row: Row): void {
      const owner = ownerOf(row)
      const ofOwner = rows.get(owner) ?? []
      for (let n = ofOwner.length - 1; n >= 0; n--)
        if (isSame(ofOwner[n]!, row)) {
          ofOwner[n]!.count += row.count
          return
        }
      if (size >= max) return
      rows.set(owner, ofOwner)
      ofOwner.push(row)
      size++
    },
    take(): Row[] {
      const taken = [...rows.values()].flat()
      rows = new Map()
      size = 0
      return taken
    },
  }
}

/** The last refusals of each tag. */
function refusalRows() {
  let rows = new Map<string, RefusalRecord[]>()
  let size = 0
  return {
    add(row: RefusalRecord): void {
      const ofTag = rows.get(row.tagId) ?? []
      if (ofTag.length < keptRefusals && size >= maxRows.refusals) return
      rows.set(row.tagId, ofTag)
      ofTag.push(row)
      if (ofTag.length > keptRefusals) ofTag.shift()
      else size++
    },
    take(): RefusalRecord[] {
      const taken = [...rows.values()].flat()
      rows = new Map()
      size = 0
      return taken
    },
  }
}

const isSameCount = (one: IntakeCount, other: IntakeCount) => one.code === other.code && one.at === other.at
const isSameLatency = (one: LatencyCount, other: LatencyCount) =>
  one.bucket === other.bucket && one.kind === other.kind && one.at === other.at

const repeatKey = ({ tagId, key }: RepeatCount) => `${tagId} ${key}`

const matchKey = ({ scriptId, at, eventName, source, what }: MatchCount) =>
  `${scriptId} ${at} ${source} ${what} ${eventName}`

/** Puts older rows back before the newer ones. */
function putBefore<Row>(rows: { add(row: Row): void; take(): Row[] }, older: readonly Row[]): void {
  for (const row of [...older, ...rows.take()]) rows.add(row)
}

/** What was counted since the last write. */
function openBuffer() {
  const counts = listedRows<IntakeCount>(maxRows.counts, ({ tagId }) => tagId, isSameCount)
  const latencies = listedRows<LatencyCount>(maxRows.latencies, ({ scriptId }) => scriptId, isSameLatency)
  const refusals = refusalRows()
  const repeats = countedRows<RepeatCount>(maxRows.repeats)
  const matchCounter = openMatchCounter()
  const matches = countedRows<MatchCount>(maxRows.matches)
  const addMatches = (rows: readonly MatchCount[]) => {
    for (const row of rows) matches.add(matchKey(row), row)
  }
  let seen = new Map<string, SeenCallerRecord>()
  const addSeen = (row: SeenCallerRecord) => {
    const key = `${row.tagId} ${row.call} ${row.host ?? ''}`
    if (seen.has(key) || seen.size < maxRows.seen) seen.set(key, row)
  }
  return {
    addCount: counts.add,
    addLatency: latencies.add,
    addRefusal: refusals.add,
    addRepeat: (row: RepeatCount) => repeats.add(repeatKey(row), row),
    addMatch: matchCounter.add,
    addSeen,
    /** Puts rows back that could not be written. */
    restore(batch: IntakeBatch): void {
      putBefore(counts, batch.counts)
      putBefore(latencies, batch.latencies)
      for (const row of batch.repeats) repeats.add(repeatKey(row), row)
      addMatches(batch.matches)
      putBefore(refusals, batch.refusals)
      const newerSeen = seen.values()
      seen = new Map()
      for (const row of [...batch.seen, ...newerSeen]) addSeen(row)
    },
    take(): IntakeBatch {
      addMatches(matchCounter.take())
      const taken = {
        counts: counts.take(),
        latencies: latencies.take(),
        refusals: refusals.take(),
        seen: [...seen.values()],
        repeats: repeats.take(),
        matches: matches.take(),
      }
      seen = new Map()
      return taken
    },
  }
}

const isEmpty = (batch: IntakeBatch) => Object.values(batch).every(({ length }) => length === 0)

/** The listeners of each tag. */
function openListeners() {
  const byTag = new Map<string, Set<(refusal: LiveRefusal) => void>>()
  return {
    call(tagId: string, refusal: LiveRefusal): void {
      for (const listener of byTag.get(tagId) ?? []) listener(refusal)
    },
    add(tagId: string, listener: (refusal: LiveRefusal) => void): Disposable {
      const ofTag = byTag.get(tagId) ?? new Set()
      byTag.set(tagId, ofTag.add(listener))
      return {
        [Symbol.dispose]() {
          ofTag.delete(listener)
          if (ofTag.size === 0) byTag.delete(tagId)
        },
      }
    },
  }
}

export function openIntakeLog({ clock, store, log }: IntakeLogDeps, signal: AbortSignal): IntakeLog {
  const buffer = openBuffer()
  const listeners = openListeners()
  let lastNumber = 0
  /** Makes it unlikely that two processes give one number to calls that they refuse in the same millisecond. */
  const ownMicros = randomInt(1_000)
  const minute = () => Math.floor(clock.now() / minuteMs) * minuteMs

  const flush = writePeriodically(
    { clock, store, log },
    {
      kind: 'intake',
      label: 'the counts of the intake',
      everyMs: flushMs,
      take() {
        const batch = buffer.take()
        return isEmpty(batch) ? undefined : { add: 'intake', batch }
      },
      restore: ({ batch }) => buffer.restore(batch),
    },
    signal,
  )

  return {
    countEvents(tagId, code, count) {
      if (count > 0) buffer.addCount({ tagId, at: minute(), code, count })
    },
    addRefusal(tagId, { field, ...refusal }) {
      const row = { ...refusal, at: clock.now() }
      buffer.addCount({ tagId, at: minute(), code: refusal.code, count: 1 })
      // Also grows across a restart, because it is at least the time in microseconds.
      lastNumber = Math.max(lastNumber + 1, row.at * 1_000 + ownMicros)
      buffer.addRefusal({ ...row, tagId, number: lastNumber })
      listeners.call(tagId, { ...row, ...(field !== undefined && { field }) })
    },
    addRepeat: (tagId, key) => buffer.addRepeat({ tagId, key, at: clock.now(), count: 1 }),
    addCaller: (tagId, caller) => buffer.addSeen({ ...caller, tagId, at: clock.now() }),
    addLatency({ tagId, scriptId }, kind, ms) {
      buffer.addLatency({ tagId, scriptId, at: minute(), kind, bucket: bucketOf(ms), count: 1 })
    },
    addMatch: (delivered) => buffer.addMatch(delivered, clock.now()),
    onRefusal: listeners.add,
    flush,
  }
}
