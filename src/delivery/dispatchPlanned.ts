import type { PlanWrite } from '#store/journal.ts'
import type { DueDelivery, PlannedEvent } from '#store/store.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'
import type { Dispatcher } from './dispatcher.ts'

/**
 * Hands the pending deliveries of a planned event to the dispatcher. `mayBePlanned`: the journal may already have another
 * plan of the event.
 */
export function dispatchPlanned(
  { deliveries, ...event }: PlannedEvent,
  { mayBePlanned, write }: { mayBePlanned: boolean; write: PlanWrite },
  {
    dispatcher,
    completions,
  }: Pick<DeliveryDeps, 'completions'> & { dispatcher: Pick<Dispatcher, 'markStored' | 'offer'> },
): void {
  completions.notify(event)
  for (const { status, reason: _, ...delivery } of deliveries) {
    if (status !== 'pending') continue
    if (mayBePlanned) dispatcher.markStored(delivery.scriptId)
    else dispatcher.offer(dueOf(event, delivery, write))
  }
}

/** A planned delivery, due at once. */
export const dueOf = (
  { tagId, position, index, eventName, receivedAt, orderKey, slot }: Omit<PlannedEvent, 'deliveries'>,
  { deliveryId, scriptId, providerId }: Pick<DueDelivery, 'deliveryId' | 'scriptId' | 'providerId'>,
  planned?: PlanWrite,
): DueDelivery => ({
  deliveryId,
  scriptId,
  providerId,
  tagId,
  position,
  index,
  receivedAt,
  attempts: 0,
  uncountedAttempts: 0,
  priority: 'new',
  nextAt: receivedAt,
  planned,
  eventName,
  ...(orderKey && { orderKey }),
  ...(slot !== undefined && { slot }),
})
