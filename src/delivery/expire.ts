import type { Keep } from '#journal/keep.ts'
import type { Lane } from '#store/store.ts'
import type { Lanes } from './lanes.ts'
import { waitMs } from './retry.ts'
import type { DeliveryWorld } from './world.ts'

type ExpireWorld = Pick<DeliveryWorld, 'clock' | 'log' | 'told' | 'keep'> & {
  store: { journal: Pick<DeliveryWorld['store']['journal'], 'nextDue' | 'overdue' | 'settle'> }
  lanes: Pick<Lanes, 'holds'>
}

const hourMs = 3_600_000
const atOnce = 500
/** Retries of the schedule are due at most so long after their event was received. */
const scheduleEndsMs = 72 * hourMs

/** What a delivery of this lane is too old by: when its event was received, and so when it was due at the latest. */
function cutoffOf(lane: Lane, keep: Keep, now: number): { dueMs: number; receivedMs: number } {
  const receivedMs = now - waitMs(keep, lane === 'replay')
  if (lane === 'replay') return { dueMs: now, receivedMs }
  return { dueMs: lane === 'fresh' ? receivedMs : receivedMs + scheduleEndsMs, receivedMs }
}

/** Ends once an hour what a stopped channel has kept waiting for longer than its events are kept: `dead: expired`. */
export async function expireWaiting(on: ExpireWorld, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await expireAll(on, signal).catch((error) =>
      on.log({ level: 'error', message: 'could not end what has waited too long', error }),
    )
    await on.clock.wait(hourMs, signal)
  }
}

async function expireAll(on: ExpireWorld, signal: AbortSignal): Promise<void> {
  const now = on.clock.now()
  for (const { scriptId, lane, nextAt } of await on.store.journal.nextDue(-1)) {
    const cutoff = cutoffOf(lane, on.keep, now)
    if (nextAt > cutoff.dueMs) continue
    for (let isMore = true; isMore && !signal.aborted; ) isMore = await expireSome({ scriptId, lane, cutoff }, on)
  }
}

type Waiting = { scriptId: string; lane: Lane; cutoff: { dueMs: number; receivedMs: number } }

/** One slice; whether there may be another. What is in the lanes ends there. */
async function expireSome({ scriptId, lane, cutoff }: Waiting, on: ExpireWorld): Promise<boolean> {
  const found = await on.store.journal.overdue(scriptId, lane, cutoff, atOnce)
  const over = found.filter((delivery) => !on.lanes.holds(delivery))
  const [first] = over
  if (!first) return false
  await on.store.journal.settle(
    over.map(({ deliveryId, tagId }) => ({ deliveryId, tagId, status: 'dead', reason: 'expired' })),
  )
  on.told({ kind: 'dead', tagId: first.tagId, scriptId, reason: 'expired', at: on.clock.now() })
  return found.length === atOnce
}
