import type { DeliveryRecord } from './deliveryQueries.ts'
import type { WatchRequest, WatchResult } from './journalQueries.ts'

/** The maximum count of later events. */
export const maxCountedBehind = 10_000
/** After this number of deliveries, no further event is read. */
export const maxWatchedRows = 1_000

/**
 * The open deliveries that have changed, and those that no longer exist. `current`: the existing ones in their current
 * state.
 */
export function compareOpen(
  open: WatchRequest['open'],
  current: readonly DeliveryRecord[],
): Pick<WatchResult, 'changed' | 'gone'> {
  const before = new Map(open.map((each) => [each.deliveryId, each]))
  const changed = current.filter((now) => {
    const { status, reason, at } = before.get(now.deliveryId)!
    return status !== now.status || reason !== now.reason || at !== now.at
  })
  for (const { deliveryId } of current) before.delete(deliveryId)
  return { changed, gone: [...before.keys()] }
}
