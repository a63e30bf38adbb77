import type { TagEvent } from '#contract/event.ts'
import { openRecord, type RecordEvent, recordEvents } from '#event/record.ts'
import { checkoutIdOf } from '#sources/shopSource.ts'
import type { SourceEvent } from '#sources/source.ts'
import { fieldsOf, textOf } from '#sources/values.ts'
import type { EdgeCall } from './edge.ts'

type FoundCall = Pick<EdgeCall, 'edge' | 'tag'>

/** Finds an event of the last seven days by its id. Undefined if there is none, or if it was erased. */
async function findEvent(
  eventId: string,
  trusted: boolean,
  { edge, tag }: FoundCall,
): Promise<RecordEvent | undefined> {
  const { stream, keys } = edge.deps
  const place = await stream.find(keys.team(tag.teamId).eventKey(tag.tagId, eventId, trusted))
  const record = place && (await stream.read(place.position))
  if (!record) return undefined
  await keys.findTeamKey(tag.teamId, record.payload)
  const found = recordEvents(openRecord(record.payload, tag.tagId, tag.teamId, keys))[place.index]
  return found?.isErased ? undefined : found
}

/** The shop's purchase event of an order. */
export async function findPurchase(
  eventId: string,
  call: FoundCall,
): Promise<{ event: TagEvent; userId: string } | undefined> {
  const found = await findEvent(eventId, true, call)
  return found && { event: found.event, userId: found.userId }
}

/**
 * The browser's half of a purchase: the start or the end of the checkout. Both carry a digest of the checkout token,
 * which only the buyer's browser and the shop know, so that no stranger is mistaken for the buyer.
 */
async function findBrowserHalf(join: string, eventId: string, call: FoundCall): Promise<RecordEvent | undefined> {
  const started = await findEvent(checkoutIdOf(join), false, call)
  if (started) return started
  const completed = await findEvent(eventId, false, call)
  return textOf(fieldsOf(completed?.event.source).join) === join ? completed : undefined
}

/**
 * The server's half of a purchase with the visitor who made it, found by the user id that the shop's page stored with the
 * order, else by the checkout. Takes the address and the user agent of the browser if the order has none.
 */
export async function withVisitor(purchase: SourceEvent, call: FoundCall): Promise<SourceEvent> {
  const { event } = purchase
  const join = textOf(fieldsOf(event.source).join)
  if (join === undefined || (purchase.userId !== undefined && event.ip !== undefined && event.userAgent !== undefined))
    return purchase
  const half = await findBrowserHalf(join, `${event.eventId}`, call)
  if (!half) return purchase
  const { ip, userAgent } = half.context
  return {
    ...purchase,
    userId: purchase.userId ?? half.userId,
    event: {
      ...event,
      ...(event.ip === undefined && ip !== undefined && { ip }),
      ...(event.userAgent === undefined && userAgent !== undefined && { userAgent: half.event.userAgent ?? userAgent }),
      ...(event.pageUrl === undefined && half.event.pageUrl !== undefined && { pageUrl: half.event.pageUrl }),
    },
  }
}
