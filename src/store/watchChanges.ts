import type { DeliveryRecord } from './deliveryQueries.ts'
import type { WatchRequest, WatchResult } from './journalQueries.ts'

/** The maximum that the count of later events reaches. */
export const maxCountedBehind = 10_000
/** No further event is read after this number of deliveries. */
export const maxWatchedRows = 1_000

/** Which of the open deliveries have changed, and which no longer exist. `current`: those that exist, as they are now. */
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
