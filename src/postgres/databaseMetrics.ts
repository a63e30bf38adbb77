import type { Clock } from '#kit/clock.ts'
import type { Meter } from '#kit/meter.ts'
import { type ProcessStatus, readProcesses, readStandbys, type StandbyStatus } from './clusterStatus.ts'
import type { Database } from './database.ts'
import {
  CommitUnknown,
  DatabaseAway,
  DatabaseError,
  DatabaseReadOnly,
  isLockTimeout,
  isRepeatable,
} from './databaseError.ts'

const sampleEveryMs = 10_000
const errorClasses = ['away', 'readOnly', 'commitUnknown', 'deadlock', 'lockTimeout', 'other'] as const

function classOf(error: unknown): (typeof errorClasses)[number] | undefined {
  if (!(error instanceof DatabaseError)) return undefined
  if (error instanceof CommitUnknown) return 'commitUnknown'
  if (error instanceof DatabaseReadOnly) return 'readOnly'
  if (error instanceof DatabaseAway) return 'away'
  if (isRepeatable(error)) return 'deadlock'
  return isLockTimeout(error) ? 'lockTimeout' : 'other'
}

/** Counts errors of the database by their class. Other errors are not counted. */
export function countErrors(meter: Meter): (error: unknown) => void {
  const help = 'Errors of the database, by class.'
  const counters = new Map(
    errorClasses.map((each) => [each, meter.counter('aglet_database_errors_total', help, { class: each })]),
  )
  return (error) => {
    const found = classOf(error)
    if (found) counters.get(found)!.add()
  }
}

/** Exports the number of connections to the database, and of callers that wait for one. */
export function meterConnections(meter: Meter, { connections }: Pick<Database, 'connections'>): void {
  const help = 'Connections to the database, and work that waits for one.'
  for (const state of ['open', 'idle', 'waiting'] as const)
    meter.gauge('aglet_database_connections', help, () => connections()[state], { state })
}

type ClusterStatus = StandbyStatus & ProcessStatus

const roles = ['edge', 'worker', 'control', 'all'] as const

function meterStatus(meter: Meter, status: () => ClusterStatus | undefined): void {
  const gauge = (name: string, help: string, read: (status: ClusterStatus) => number, labels = {}) => {
    const readNow = () => {
      const now = status()
      return now ? read(now) : Number.NaN
    }
    meter.gauge(name, help, readNow, labels)
  }
  gauge('aglet_standbys_streaming', 'Standbys that receive the log of the primary.', ({ streaming }) => streaming)
  gauge('aglet_standbys_confirming', 'Standbys that confirm commits.', ({ confirming }) => confirming)
  const lagHelp = 'Time until the slowest standby that confirms commits has stored what it receives.'
  gauge('aglet_replication_lag_seconds', lagHelp, ({ replicationSeconds }) => replicationSeconds)
  gauge('aglet_slots_without_owner', 'Slots whose events no worker delivers.', (each) => each.slotsWithoutOwner)
  gauge('aglet_changes_behind', 'Changes that the slowest process has not applied.', (each) => each.changesBehind)
  for (const role of roles)
    gauge('aglet_processes', 'Live processes, by role.', ({ processes }) => processes[role] ?? 0, { role })
}

type StatusMetricsDeps = {
  database: Pick<Database, 'sql'>
  meter: Meter
  clock: Pick<Clock, 'now' | 'wait'>
  /** The number of records that wait in the stream, and the time of the oldest (epoch ms). */
  readTodo(): Promise<{ records: number; oldestAt?: number }>
}

/**
 * Reads the state of the database every ten seconds for the metrics. The values are NaN until the first read, and while
 * reads fail.
 */
export function watchStatus({ database, meter, clock, readTodo }: StatusMetricsDeps): { close(): Promise<void> } {
  const closing = new AbortController()
  let status: ClusterStatus | undefined
  let todo: { records: number; oldestAt?: number } | undefined
  meterStatus(meter, () => status)
  const todoAge = () => {
    if (!todo) return Number.NaN
    return todo.oldestAt === undefined ? 0 : Math.max(0, (clock.now() - todo.oldestAt) / 1_000)
  }
  meter.gauge('aglet_todo_records', 'Records that are not settled.', () => todo?.records ?? Number.NaN)
  meter.gauge('aglet_todo_age_seconds', 'Age of the oldest record that is not settled.', todoAge)
  const readStatus = async () => ({ ...(await readStandbys(database)), ...(await readProcesses(database)) })
  async function keepReading(): Promise<void> {
    while (!closing.signal.aborted) {
      status = await readStatus().catch(() => undefined)
      todo = await readTodo().catch(() => undefined)
      await clock.wait(sampleEveryMs, closing.signal)
    }
  }
  const reading = keepReading()
  return {
    close() {
      closing.abort()
      return reading
    },
  }
}
