import type { EventData, TagEvent } from '#contract/event.ts'
import { eventValue } from '#contract/eventValue.ts'
import { totalQuantity, wholeQuantity } from '#contract/itemQuantity.ts'
import type { ValueMode } from '#contract/script.ts'
import { itemsWithId, withoutEmpty } from './pixelCalls.ts'

/** An event of the page, with the same id that the server sends. */
export type IdentifiedEvent = Pick<TagEvent, 'eventName' | 'eventId' | 'data'>

/** The arguments of a pixel call: the vendor's event name, and its fields. */
type PixelCall = readonly [name: string, fields: object]
type Names = Readonly<Record<string, string>>

const nameIn = (names: Names, eventName: string) => (Object.hasOwn(names, eventName) ? names[eventName] : undefined)

const dataOf = ({ data = {} }: IdentifiedEvent): EventData => data

/** Standard events that have the same name in lower case at Pinterest. */
const sameInPinterest = /^(AddToCart|Search|Lead)$/
/** Events without a Pinterest event code; only the server sends them. A refund is not a custom event. */
const notInPinterest = /^(RemoveFromCart|InitiateCheckout|AddShippingInfo|AddPaymentInfo|Subscribe|Refund)$/

function pinterestName(eventName: string): string {
  if (/^(PageView|ViewContent)$/.test(eventName)) return 'pagevisit'
  if (eventName === 'Purchase') return 'checkout'
  return sameInPinterest.test(eventName) ? eventName.toLowerCase() : 'custom'
}

/** `pintrk('track', …)`: https://help.pinterest.com/en/business/article/add-event-codes */
export function pinterestCall(event: IdentifiedEvent, mode: ValueMode): PixelCall | undefined {
  const { eventName, eventId: event_id } = event
  const { currency, orderId: order_id, search: search_query } = dataOf(event)
  if (notInPinterest.test(eventName)) return undefined
  const items = itemsWithId(event)
  const line_items = items.map((item) =>
    withoutEmpty({
      product_id: item.id,
      product_name: item.title,
      product_category: item.category,
      product_price: item.item_price,
      product_quantity: wholeQuantity(item),
    }),
  )
  const order_quantity = totalQuantity(items)
  const value = eventValue(event, mode)
  const fields = { event_id, value, currency, order_quantity, order_id, search_query, line_items }
  return [pinterestName(eventName), withoutEmpty(fields)]
}

const snapchatNames: Names = {
  PageView: 'PAGE_VIEW',
  ViewContent: 'VIEW_CONTENT',
  AddToCart: 'ADD_CART',
  InitiateCheckout: 'START_CHECKOUT',
  AddPaymentInfo: 'ADD_BILLING',
  Purchase: 'PURCHASE',
  Subscribe: 'SUBSCRIBE',
  Search: 'SEARCH',
  Lead: 'SIGN_UP',
}

/** `snaptr('track', …)`. Snapchat has five names for custom events. */
export function snapchatCall(event: IdentifiedEvent, mode: ValueMode): PixelCall | undefined {
  const { eventName, eventId: client_dedup_id } = event
  const name = nameIn(snapchatNames, eventName) ?? /^CUSTOM_EVENT_[1-5]$/.exec(eventName)?.[0]
  const { currency, orderId: transaction_id, search: search_string } = dataOf(event)
  const items = itemsWithId(event)
  const fields = {
    client_dedup_id,
    price: eventValue(event, mode),
    currency,
    transaction_id,
    item_ids: items.map(({ id }) => id),
    number_items: totalQuantity(items),
    search_string,
  }
  return name ? [name, withoutEmpty(fields)] : undefined
}

const redditNames: Names = { PageView: 'PageVisit' }
/** Standard events that have the same name at Reddit. */
const sameInReddit = /^(ViewContent|AddToCart|Purchase|Search|Lead)$/

/** `rdt('track', …)`. All other events except refunds are custom; page visits and searches have no value. */
export function redditCall(event: IdentifiedEvent, mode: ValueMode): PixelCall | undefined {
  const { eventName, eventId: conversionId } = event
  if (eventName === 'Refund') return undefined
  const name = sameInReddit.test(eventName) ? eventName : (nameIn(redditNames, eventName) ?? 'Custom')
  const items = itemsWithId(event)
  const fields = {
    conversionId,
    customEventName: name === 'Custom' ? eventName : undefined,
    ...(!/^(PageVisit|Search)$/.test(name) && { value: eventValue(event, mode), currency: dataOf(event).currency }),
    itemCount: totalQuantity(items),
    products: items.map(({ id, title, category }) => withoutEmpty({ id, name: title, category })),
  }
  return [name, withoutEmpty(fields)]
}

type Mapping = ReadonlyMap<string, string> | undefined

/** The fields of `lintrk('track', …)`; undefined for an event without a conversion rule of the Insight Tag. */
export function linkedInFields(event: IdentifiedEvent, mode: ValueMode, rules: Mapping): object | undefined {
  const rule = rules?.get(event.eventName)
  const { currency } = dataOf(event)
  const conversion_value = eventValue(event, mode)
  const amount = currency && conversion_value !== undefined ? { conversion_value, currency } : {}
  return rule ? { conversion_id: Number(rule), ...amount, event_id: event.eventId } : undefined
}

/** The arguments of `uetq.push(…)`: a page view, or an event that the customer mapped. */
export function bingCall(event: IdentifiedEvent, mode: ValueMode, names: Mapping): readonly unknown[] | undefined {
  const { eventName, eventId: event_id } = event
  if (eventName === 'PageView') return ['pageLoad', { event_id }]
  const name = names?.get(eventName)
  const { currency, orderId: transaction_id, search: search_term } = dataOf(event)
  const ecomm_prodid = itemsWithId(event).map(({ id }) => id)
  const fields = {
    event_id,
    revenue_value: eventValue(event, mode),
    currency,
    transaction_id,
    search_term,
    ecomm_prodid,
  }
  return name ? ['event', name, withoutEmpty(fields)] : undefined
}
