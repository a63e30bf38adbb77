import type { WorkLeases } from '#cluster/cluster.ts'
import { dropExpiredPreviews } from '#journal/previewLog.ts'
import type { RetentionPolicy } from '#journal/retentionPolicy.ts'
import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import { maintainOrders } from '#order/maintainOrders.ts'
import type { Snapshots } from '#script/snapshot.ts'
import type { RetentionCutoffs } from '#store/deliveryQueries.ts'
import type { Journal, Store } from '#store/store.ts'
import { keptRunsMs } from '#store/webhookRuns.ts'
import type { Stream } from '#stream/stream.ts'
import { expireUsers } from '#user/expireUsers.ts'
import { expireJournal } from './expireJournal.ts'

type RetentionDeps = {
  clock: Clock
  log: Log
  keep: RetentionPolicy
  snapshots: Pick<Snapshots, 'get'>
  store: Pick<Store, 'users' | 'tag' | 'write' | 'runs' | 'orders' | 'queries'> & {
    journal: Pick<Journal, 'neededPositions' | 'nextKeptTag' | 'dropExpired'>
  }
  stream: Pick<Stream, 'trim'>
}

const hourMs = 3_600_000
/** A process without the lease asks for it again after this time. */
const askAgainMs = 60_000
const dayMs = 24 * hourMs

/** Counts per minute are kept for two days, counts per hour for 31 days. */
const minutesMs = 2 * dayMs
const hoursMs = 31 * dayMs

/** The cutoffs (epoch ms): older rows are dropped. Failures are kept at least as long as the journal. */
export const cutoffsOf = (
  { eventsMs, failuresMs, journalMs, deployments }: RetentionPolicy,
  now: number,
): RetentionCutoffs => ({
  journalMs: now - journalMs,
  failuresMs: now - Math.max(failuresMs, journalMs),
  bodiesMs: now - Math.min(eventsMs, journalMs),
  failedBodiesMs: now - failuresMs,
  keptDeployments: deployments,
  hourlyRollupMs: now - minutesMs,
  dailyRollupMs: now - hoursMs,
})

/** Trims the stream. Pending events, and failed events that can be replayed, are kept longer. */
function trimStream({ store, stream, keep, clock }: RetentionDeps): Promise<void> {
  const now = clock.now()
  const lastMs = now - Math.max(keep.eventsMs, keep.failuresMs)
  return stream.trim(now - keep.eventsMs, { lastMs, needed: store.journal.neededPositions })
}

const restMs = 5

async function dropOldRuns({ store, clock }: RetentionDeps, before: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await store.runs.hasOlder(before))) {
    await store.write([{ drop: 'runs', before }])
    await clock.wait(restMs, signal)
  }
}

/** Drops data whose retention is over, in small slices. No kind of data waits for another. */
export async function dropOld(deps: RetentionDeps, signal: AbortSignal): Promise<void> {
  const step = (what: string, run: () => Promise<unknown>) =>
    run().catch((error) => deps.log({ level: 'error', message: `could not ${what}`, error }))
  const now = deps.clock.now()
  await Promise.all([
    step('drop old events', () => trimStream(deps)),
    step('drop old rows of the journal', () => expireJournal(deps, cutoffsOf(deps.keep, now), signal)),
    step('drop old runs of webhooks', () => dropOldRuns(deps, now - keptRunsMs, signal)),
    step('drop events of expired previews', () => deps.store.write(dropExpiredPreviews(now))),
    step('drop inactive users', () => expireUsers(deps, signal)),
    step('settle orders', () => maintainOrders({ ...deps, journalMs: deps.keep.journalMs }, signal)),
  ])
}

/** Runs the retention once an hour until the signal, in only one of all processes. */
export async function runRetention(
  deps: RetentionDeps & { leases: Pick<WorkLeases, 'holds'> },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const isMine = await deps.leases.holds('retention').catch((error) => {
      deps.log({ level: 'error', message: 'could not acquire the retention lease', error })
      return false
    })
    if (isMine) await dropOld(deps, signal)
    await deps.clock.wait(isMine ? hourMs : askAgainMs, signal)
  }
}
