import type { EventItem } from '#contract/event.ts'
import type { PartialFailure } from '#provider/form/batch.ts'
import { itemsWithId, wholeQuantity } from '#provider/form/items.ts'
import { asList, unlessEmpty } from '#provider/form/optionalValues.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { boundedProperties, snakeCaseProperties } from '#provider/vendors/boundedProperties.ts'

/** Id, name, price and quantity are required. */
const itemOf = ({ id, title, item_price: price = 0, quantity = 1, ...item }: EventItem) => ({
  id,
  sku: item.sku,
  name: title ?? id,
  price,
  quantity: wholeQuantity({ quantity }),
  categories: asList(item.category),
  url: item.url,
  imageUrl: item.image,
  dataFields: unlessEmpty({ variantId: item.variantId, brand: item.brand }),
})

export const itemsOf = (items: readonly EventItem[]) => itemsWithId(items).map(itemOf)

/** The data fields of a tracked event. */
export function trackedFields(context: RequestContext): object {
  const items = itemsOf(context.items)
  return { ...boundedProperties(snakeCaseProperties(context), {}), items: items.length > 0 ? items : undefined }
}

/** The data fields of a purchase: it has fields of its own for the order id, the total and the items. */
export function purchaseFields(context: RequestContext): object {
  const { order_id: _, value: __, ...fields } = boundedProperties(snakeCaseProperties(context), {})
  return { ...fields, eventId: context.event.eventId }
}

type TrackedEvent = { email?: string; userId?: string; eventName: string }
type Lists = Readonly<Record<string, unknown>>

const members = (lists: Lists | undefined, ending: RegExp): Set<unknown> =>
  new Set(Object.entries(lists ?? {}).flatMap(([name, list]) => (ending.test(name) && Array.isArray(list) ? list : [])))

/**
 * The events of people whom Iterable does not accept, and of names that the customer blocked there. The lists are from
 * public implementations.
 */
export function failedEvents(answer: Lists & { failedUpdates?: Lists }, sent: { events?: TrackedEvent[] }) {
  const refused = (ending: RegExp) => members(answer, ending).union(members(answer.failedUpdates, ending))
  const emails = refused(/Emails$/)
  const userIds = refused(/UserIds$/)
  const names = members(answer, /^disallowedEventNames$/)
  return (sent.events ?? []).flatMap(({ email, userId, eventName }, row): PartialFailure[] => {
    if (names.has(eventName)) return [{ row, verdict: 'refused', message: 'The name of the event is blocked.' }]
    const isRefused = (email !== undefined && emails.has(email)) || (userId !== undefined && userIds.has(userId))
    return isRefused ? [{ row, verdict: 'refused', message: 'The e-mail address or the user id is not accepted.' }] : []
  })
}

/** Who is added to a list: https://api.iterable.com/api/docs#lists_subscribe */
export const listedOf = (list: string, subscriber: { email?: string | undefined; userId?: string | undefined }) => ({
  listId: Number(list),
  subscribers: [subscriber],
})
