import type { Keep } from '#journal/keep.ts'
import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import type { Cutoffs } from '#store/found.ts'
import type { Journal, Store } from '#store/store.ts'
import type { Stream } from '#stream/stream.ts'
import { expireUsers } from '#user/expire.ts'

export type RetentionWorld = {
  clock: Clock
  log: Log
  keep: Keep
  store: Pick<Store, 'users' | 'tag' | 'write'> & { journal: Pick<Journal, 'needed' | 'expire'> }
  stream: Pick<Stream, 'trim'>
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** After each slice whoever else writes has the thread for so long: what comes in a day is dropped in a fraction of it. */
const restMs = 5

/** Counts of minutes are kept for two days, those of hours for a month. */
const minutesMs = 2 * dayMs
const hoursMs = 31 * dayMs

/** What came before when is dropped. What failed is kept as long as the rest, at least. */
export const cutoffsOf = ({ eventsMs, failuresMs, journalMs, deployments }: Keep, now: number): Cutoffs => ({
  journalMs: now - journalMs,
  failuresMs: now - Math.max(failuresMs, journalMs),
  bodiesMs: now - Math.min(eventsMs, journalMs),
  failedBodiesMs: now - failuresMs,
  deployments,
  hoursMs: now - minutesMs,
  daysMs: now - hoursMs,
})

async function expireJournal({ store, keep, clock }: RetentionWorld, signal: AbortSignal): Promise<void> {
  const cutoffs = cutoffsOf(keep, clock.now())
  for (let next: string | undefined, more = true; more && !signal.aborted; more = next !== undefined) {
    next = (await store.journal.expire(cutoffs, next)).next
    await clock.wait(restMs, signal)
  }
}

/** Events that are to be delivered, or failed and may be replayed, outlive the others. */
function trimStream({ store, stream, keep, clock }: RetentionWorld): Promise<void> {
  const now = clock.now()
  const lastMs = now - Math.max(keep.eventsMs, keep.failuresMs)
  return stream.trim(now - keep.eventsMs, { lastMs, needed: store.journal.needed })
}

/** Drops what has outlived its retention, in small slices. */
export async function dropOld(on: RetentionWorld, signal: AbortSignal): Promise<void> {
  const step = (what: string, run: () => Promise<unknown>) =>
    run().catch((error) => on.log({ level: 'error', message: `could not ${what}`, error }))
  await step('drop old events', () => trimStream(on))
  await step('drop what is old of the journal', () => expireJournal(on, signal))
  await step('drop who was not seen', () => expireUsers(on))
}

/** The same once an hour. */
export async function keepSmall(on: RetentionWorld, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await dropOld(on, signal)
    await on.clock.wait(hourMs, signal)
  }
}
