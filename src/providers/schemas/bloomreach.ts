import type { EventItem } from '#contract/event.ts'
import { remainingData } from '#provider/form/eventData.ts'
import { itemsWithId, totalQuantity, wholeQuantity } from '#provider/form/items.ts'
import { withoutDust } from '#provider/form/money.ts'
import type { RequestContext, RequestSpec } from '#provider/form/request.ts'
import { boundedProperties } from '#provider/vendors/boundedProperties.ts'

export const eventNames = {
  PageView: 'page_visit',
  ViewContent: 'view_item',
  AddToCart: 'cart_update',
  RemoveFromCart: 'cart_update',
  InitiateCheckout: 'checkout',
  AddShippingInfo: 'checkout',
  AddPaymentInfo: 'checkout',
  Purchase: 'purchase',
  Subscribe: 'subscribe',
  Search: 'search',
  Lead: 'lead',
}

/** The ids of Bloomreach's own code in the page are UUIDs. */
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

type IdNames = { BLOOMREACH_HARD_ID: string; BLOOMREACH_SOFT_ID: string }
type Known = { email: string | undefined; userId: string | undefined; cookie: string | undefined }

/**
 * The ids of a customer under the names of the project; undefined where none is known. No name for user ids gets an
 * e-mail.
 */
export function customerIds(
  { BLOOMREACH_HARD_ID: hardId, BLOOMREACH_SOFT_ID: softId }: IdNames,
  { email, userId, cookie = '' }: Known,
): Record<string, string> | undefined {
  const hard = /mail/i.test(hardId) ? email : hardId === 'registered' ? (email ?? userId) : userId
  const soft = uuid.exec(cookie)?.[0]
  return hard || soft ? { ...(soft && { [softId]: soft }), ...(hard && { [hardId]: hard }) } : undefined
}

/** What tells events of one name apart. */
const ownProperties: Readonly<Record<string, object>> = {
  AddToCart: { action: 'add' },
  RemoveFromCart: { action: 'remove' },
  InitiateCheckout: { step_number: 1, step_title: 'checkout' },
  AddShippingInfo: { step_number: 2, step_title: 'shipping' },
  AddPaymentInfo: { step_number: 3, step_title: 'payment' },
  Purchase: { purchase_status: 'success' },
}

const productOf = (item: EventItem) => ({
  product_id: item.id,
  title: item.title,
  variant_id: item.variantId,
  brand: item.brand,
  category: item.category,
  price: item.item_price,
  quantity: wholeQuantity(item),
})

const used = ['value', 'currency', 'contents', 'orderId', 'search', 'discounts', 'checkoutUrl'] as const

/** The properties of an event. Bloomreach takes any; `product_list` and its companions are the customary names. */
export function propertiesOf({ event, data, items, coupon, value }: RequestContext): object {
  const products = itemsWithId(items)
  const [first] = event.eventName === 'ViewContent' ? products : []
  const properties = {
    ...(first && productOf(first)),
    ...ownProperties[event.eventName],
    ...(event.eventName === 'Purchase' ? { purchase_id: data.orderId } : { order_id: data.orderId }),
    total_price: value,
    local_currency: data.currency,
    event_id: event.eventId,
    voucher_code: coupon,
    total_quantity: totalQuantity(products),
    product_ids: products.length > 0 ? products.map(({ id }) => id) : undefined,
    product_list:
      products.length > 0
        ? products.map((item) => ({ product_id: item.id, quantity: wholeQuantity(item) }))
        : undefined,
    search_term: data.search,
    location: event.pageUrl,
    page_title: event.pageTitle,
    referrer: event.referrer,
  }
  const all = { ...properties, ...remainingData(data, ...used), ...properties }
  return boundedProperties(all, { maxBytes: 60_000, cutsLists: true })
}

/** The properties of each bought product, for the event `purchase_item`. */
export const itemProperties = ({ event, data, items }: RequestContext): object[] =>
  itemsWithId(items).map((item) => ({
    ...productOf(item),
    purchase_id: data.orderId,
    purchase_status: 'success',
    total_price: item.item_price === undefined ? undefined : withoutDust(item.item_price * wholeQuantity(item)),
    local_currency: data.currency,
    event_id: event.eventId,
  }))

/** One request of several: each is a command with the end of its address as its name. */
export function batchOf(requests: readonly RequestSpec[]): RequestSpec {
  const commands = requests.map(({ url, json }, command) => ({
    name: url.slice(url.lastIndexOf('/customers') + 1),
    command_id: String(command),
    data: json,
  }))
  const [first] = requests
  return { ...first!, url: first!.url.replace(/\/customers(\/events)?$/, '/batch'), json: { commands } }
}

type BatchResponse = { success?: boolean; results?: readonly { success?: boolean; errors?: readonly unknown[] }[] }

/** The results are in the order of the commands. */
export const failedRows = ({ results = [] }: BatchResponse) =>
  results.flatMap(({ success, errors }, row) =>
    success === false ? [{ row, message: String(errors?.[0] ?? '') }] : [],
  )
