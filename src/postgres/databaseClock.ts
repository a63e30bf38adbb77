import type { Clock } from '#kit/clock.ts'
import type { Database } from './database.ts'

/** How often the clock of this machine is compared with that of the database. */
const measureEveryMs = 10_000
/** If its clock differs by more than this, a process does not start and is not ready. */
const maxOffsetMs = 60_000
/** A slower answer is too imprecise to compare clocks. */
const maxAnswerMs = 2_000

/** The time of the database, which all its processes share. */
export type DatabaseClock = {
  /** `now` follows the database. `wait` waits by the clock of this machine. */
  clock: Clock
  /** The last measured difference: database time minus the time of this machine (ms). */
  offsetMs(): number
  /** Throws an Error with one sentence for the operator while the clocks differ by more than a minute. */
  check(): void
  close(): Promise<void>
}

type DatabaseClockDeps = { database: Pick<Database, 'sql'>; clock: Clock }

const selectNow = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now'

/** Measures the offset (ms); undefined if the answer took too long. Throws DatabaseError. */
export async function measureOffset({ database, clock }: DatabaseClockDeps): Promise<number | undefined> {
  const beganAt = performance.now()
  const askedAt = clock.now()
  const [row] = await database.sql<{ now: number }>(selectNow)
  const tookMs = performance.now() - beganAt
  return tookMs > maxAnswerMs ? undefined : Math.round(row!.now - askedAt - tookMs / 2)
}

/** Throws an Error with one sentence for the operator if the clocks differ by more than a minute. */
export function refuseOffset(offsetMs: number): void {
  if (Math.abs(offsetMs) <= maxOffsetMs) return
  const seconds = Math.round(Math.abs(offsetMs) / 1_000)
  const side = offsetMs > 0 ? 'behind' : 'ahead of'
  throw new Error(
    `The clock of this machine is ${seconds} s ${side} the clock of the database, but at most ${maxOffsetMs / 1_000} s are allowed. Synchronise both with NTP (chrony).`,
  )
}

/** A clock of a database that may be away. */
export type LateDatabaseClock = ReturnType<typeof createDatabaseClock>

/** The time of this machine, until `start` has measured that of the database. */
export function createDatabaseClock({ database, clock }: DatabaseClockDeps) {
  let offsetMs = 0
  const closing = new AbortController()
  let measuring: Promise<void> | undefined
  async function keepMeasuring(): Promise<void> {
    while (!closing.signal.aborted) {
      await clock.wait(measureEveryMs, closing.signal)
      if (closing.signal.aborted) return
      // While the database is away, the last offset is used.
      offsetMs = (await measureOffset({ database, clock }).catch(() => undefined)) ?? offsetMs
    }
  }
  return {
    clock: { now: () => clock.now() + offsetMs, wait: clock.wait },
    offsetMs: () => offsetMs,
    check: () => refuseOffset(offsetMs),
    /** Measures now, and every ten seconds from then on. Throws DatabaseError, and the Error of `check`. */
    async start(): Promise<void> {
      const measured = (await measureOffset({ database, clock })) ?? 0
      refuseOffset(measured)
      offsetMs = measured
      measuring ??= keepMeasuring()
    },
    async close() {
      closing.abort()
      await measuring
    },
  }
}

/** Measures now and then every ten seconds. Throws DatabaseError, and the Error of `check`. */
export async function openDatabaseClock(deps: DatabaseClockDeps): Promise<DatabaseClock> {
  const opened = createDatabaseClock(deps)
  await opened.start()
  return opened
}
