import { decodeCursor, encodeCursor } from '#store/cursor.ts'
import type { JournalEvent } from '#store/store.ts'

type JourneyDelivery = JournalEvent['deliveries'][number]

/** Maximum attempts of one answer, maximum of one delivery, and minimum of each delivery. */
const maxAttempts = 400
const maxOfDelivery = 20
const minOfDelivery = 2

/** A delivery with some of its attempts, and the cursor for earlier ones. */
export type AttemptPage = JourneyDelivery & { earlierAttempts?: { count: number; cursor: string } }

function endingAt(
  delivery: JourneyDelivery,
  place: number,
  { end, limit }: { end: number; limit: number },
): AttemptPage {
  const count = Math.max(0, end - limit)
  const attempts = delivery.attempts.slice(count, end)
  return { ...delivery, attempts, ...(count > 0 && { earlierAttempts: { count, cursor: encodeCursor(place, count) } }) }
}

/**
 * The deliveries of an event with their last attempts. With a cursor: one delivery, with the attempts before the cursor.
 * Attempts are only ever appended, so a cursor stays valid.
 */
export function pageAttempts(deliveries: readonly JourneyDelivery[], cursor: string | undefined): AttemptPage[] {
  if (cursor !== undefined) {
    const [place, end] = decodeCursor(cursor, 2) as [number, number]
    const delivery = deliveries[place]
    return delivery ? [endingAt(delivery, place, { end, limit: maxOfDelivery })] : []
  }
  const share = Math.floor(maxAttempts / Math.max(1, deliveries.length))
  const limit = Math.max(minOfDelivery, Math.min(maxOfDelivery, share))
  return deliveries.map((each, place) => endingAt(each, place, { end: each.attempts.length, limit }))
}
