import type { SlotOwnership } from '#cluster/cluster.ts'
import type { RetentionPolicy } from '#journal/retentionPolicy.ts'
import type { Activity } from '#kit/activity.ts'
import { repeatEvery } from '#kit/repeatEvery.ts'
import type { Priority } from '#store/store.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'
import type { Dispatcher } from './dispatcher.ts'
import { maxWaitMs } from './retrySchedule.ts'

type ExpireDeps = Pick<DeliveryDeps, 'clock' | 'log' | 'onChannelEvent' | 'keep'> & {
  store: { journal: Pick<DeliveryDeps['store']['journal'], 'nextDue' | 'overdue' | 'settle'> }
  dispatcher: Pick<Dispatcher, 'has'>
  ownership: Pick<SlotOwnership, 'owns'>
  activity: Activity
}

const hourMs = 3_600_000
const sliceSize = 500
/** Scheduled retries are due at most this long after their event was received. */
const scheduleEndsMs = 72 * hourMs

/**
 * Deliveries of this priority expire if their event was received before `receivedMs`; they were due before `dueMs`
 * (epoch ms).
 */
function cutoffOf(priority: Priority, keep: RetentionPolicy, now: number): { dueMs: number; receivedMs: number } {
  const receivedMs = now - maxWaitMs(keep, priority === 'replay')
  if (priority === 'replay') return { dueMs: now, receivedMs }
  return { dueMs: priority === 'new' ? receivedMs : receivedMs + scheduleEndsMs, receivedMs }
}

/**
 * Once an hour, ends deliveries that a stopped channel has delayed for longer than the retention of events: `dead:
 * expired`.
 */
export const expireWaiting = (deps: ExpireDeps, signal: AbortSignal): Promise<void> =>
  repeatEvery(hourMs, 'expire waiting deliveries', () => expireAll(deps, signal), deps, signal)

async function expireAll(deps: ExpireDeps, signal: AbortSignal): Promise<void> {
  const now = deps.clock.now()
  for (const { scriptId, priority, nextAt } of await deps.store.journal.nextDue(-1)) {
    const cutoff = cutoffOf(priority, deps.keep, now)
    if (nextAt > cutoff.dueMs) continue
    for (let hasMore = true; hasMore && !signal.aborted; )
      hasMore = await deps.activity.run(() => expireSome({ scriptId, priority, cutoff }, deps))
  }
}

type ExpireInput = { scriptId: string; priority: Priority; cutoff: { dueMs: number; receivedMs: number } }

/** Expires one slice; true if there may be more. The dispatcher ends the deliveries that it has in memory. */
async function expireSome({ scriptId, priority, cutoff }: ExpireInput, deps: ExpireDeps): Promise<boolean> {
  const overdueDeliveries = await deps.store.journal.overdue(scriptId, priority, cutoff, sliceSize)
  const expired = overdueDeliveries.filter(
    (delivery) => deps.ownership.owns(delivery.tagId, delivery.slot) && !deps.dispatcher.has(delivery),
  )
  const [first] = expired
  if (!first) return false
  await deps.store.journal.settle(
    expired.map(({ deliveryId, tagId }) => ({ deliveryId, tagId, status: 'dead', reason: 'expired' })),
  )
  deps.onChannelEvent({ kind: 'dead', tagId: first.tagId, scriptId, reason: 'expired', at: deps.clock.now() })
  return overdueDeliveries.length === sliceSize
}
