import type { TagEvent } from '#contract/event.ts'
import { amountOf, eventValue } from '#contract/eventValue.ts'
import type { PurchaseFacts } from '#store/orders.ts'
import type { Snapshot } from '#store/snapshot.ts'
import { orderHash } from './orderHash.ts'
import type { EventContext } from './record.ts'

type PurchaseInput = {
  event: TagEvent
  context: Pick<EventContext, 'kind' | 'trusted'>
  tag: Pick<Snapshot, 'tagId' | 'teamId' | 'reconciliation'>
}

const valueAt = (event: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (value, name) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, name)
          ? (value as Record<string, unknown>)[name]
          : undefined,
      event,
    )

const isCurrency = (value: unknown): value is string => typeof value === 'string' && /^[A-Za-z]{3}$/.test(value)

/** The order facts of a Purchase, by the id in `orderIdFrom` and by its event id. Undefined for other events. */
export function purchaseFacts(
  { event, context, tag }: PurchaseInput,
  keys: Parameters<typeof orderHash>[2],
): PurchaseFacts | undefined {
  if (event.eventName !== 'Purchase' || context.kind !== undefined) return undefined
  const byEvent = orderHash(tag, event.eventId, keys)
  const hash = orderHash(tag, valueAt(event, tag.reconciliation?.orderIdFrom ?? 'data.orderId'), keys) ?? byEvent
  if (hash === undefined) return undefined
  const value = amountOf(event.data?.value)
  const net = eventValue(event, 'net')
  const currency: unknown = event.data?.currency
  return {
    hash,
    ...(byEvent !== undefined && byEvent !== hash && { eventHash: byEvent }),
    isFromBrowser: !context.trusted,
    ...(value !== undefined && { value }),
    ...(net !== undefined && { net }),
    ...(isCurrency(currency) && { currency: currency.toUpperCase() }),
  }
}
