import type { EventData, EventItem } from '#contract/event.ts'
import { wholeQuantity } from '#provider/form/items.ts'
import { minorUnits, withoutDust } from '#provider/form/money.ts'
import { asList, unlessEmpty } from '#provider/form/optionalValues.ts'
import type { RequestContext, RequestSpec } from '#provider/form/request.ts'
import type { RequestSteps } from '#provider/form/steps.ts'
import { isoTime } from '#provider/form/time.ts'
import { boundedProperties, propertiesWithFirstItem } from '#provider/vendors/boundedProperties.ts'

/** The host of the page without `www.`; undefined where the page is not known. */
export const siteOf = (pageUrl: string | undefined): string | undefined =>
  /^https?:\/\/(?:www\.)?([a-z0-9.-]{1,253})/i.exec(pageUrl ?? '')?.[1]?.toLowerCase()

/** Lower snake case, as the page requires it: `shop_example`. */
export const providerName = (site = 'aglet'): string => site.toLowerCase().replace(/[^a-z0-9]/g, '_')

/** A name is required; a product without variants repeats its id. */
function itemOf({ id, variantId = id, sku, title: name = id, brand, category, item_price: price, ...item }: EventItem) {
  const { quantity: given = 1, url: product_url, image: image_url } = item
  const quantity = wholeQuantity({ quantity: given })
  const total = price === undefined ? undefined : withoutDust(price * quantity)
  const product = { product_id: id, product_variant_id: variantId, sku, name, brand, categories: asList(category) }
  return { ...product, price, quantity, total, product_url, image_url }
}

const textAt = (data: EventData, key: string): string | undefined =>
  typeof data[key] === 'string' && data[key] ? data[key] : undefined

/** The route of shopper activity and what it requires; undefined for an event that has none. */
export function activityOf({ event, data, orderId }: RequestContext): { route: string; body: object } | undefined {
  const cart_id = textAt(data, 'cartId')
  const cart_url = textAt(data, 'cartUrl') ?? data.checkoutUrl
  const checkout_id = textAt(data, 'checkoutId')
  if (event.eventName === 'Purchase') {
    const order = { action: 'placed', order_id: orderId, order_public_id: orderId }
    const totals = { total_discounts: data.discount, total_taxes: data.tax, total_shipping: data.shipping }
    return { route: 'order', body: { ...order, ...totals } }
  }
  if (event.eventName === 'AddToCart' && cart_id && cart_url)
    return { route: 'cart', body: { action: 'updated', cart_id, cart_url } }
  if (event.eventName === 'InitiateCheckout' && checkout_id)
    return { route: 'checkout', body: { action: 'created', checkout_id, checkout_url: data.checkoutUrl } }
  return undefined
}

/** What all shopper activity has. Without `initial_status` an unknown person is subscribed. */
export const commonActivity = ({ event, data, items, user, value }: RequestContext, provider: string) => ({
  provider,
  email: user.email,
  initial_status: 'unsubscribed',
  occurred_at: isoTime(event.timestamp),
  grand_total: value,
  currency: data.currency,
  items: items.filter(({ id, title }) => id ?? title).map(itemOf),
})

/**
 * What is known of a person; undefined for the address alone. `initial_status` concerns people whom Drip does not know.
 */
export function subscribersOf({ email, ...fields }: RequestContext['user']): readonly object[] | undefined {
  return unlessEmpty(fields) && [{ email, initial_status: 'unsubscribed', ...fields }]
}

/** `value` counts as revenue, in cents and below 2,147,483,647. A refund is none. */
export function eventOf(context: RequestContext, action: string): object {
  const { event, data, user, value } = context
  const { value: _, ...properties } = boundedProperties(propertiesWithFirstItem(context), {})
  const cents = value === undefined ? undefined : minorUnits(value, data.currency)
  const isRefund = event.eventName === 'Refund'
  const isRevenue = !isRefund && cents !== undefined && cents >= 0 && cents < 2_147_483_647
  const money = isRefund ? { refund_amount: value } : { value: isRevenue ? cents : undefined }
  return { email: user.email, action, occurred_at: isoTime(event.timestamp), properties: { ...properties, ...money } }
}

/**
 * Only the vendor's client knows the route of a checkout, and its page does not: where it is not found the event is
 * sent.
 */
export const elseEvent = (checkout: RequestSpec, event: RequestSpec): RequestSteps => ({
  next(results) {
    const responseRules = [{ status: 404, verdict: 'delivered' }] as const
    if (results.length === 0) return { ...checkout, resultPath: 'request_id', responseRules }
    return results.length === 1 && results[0] === undefined ? event : undefined
  },
})

const pathOf = ({ url }: RequestSpec) => URL.parse(url)?.pathname.split('/').at(-1)

/** Events and orders have a route for several; carts have none. */
export const batchRoute = (request: RequestSpec): string | undefined =>
  ['events', 'order'].includes(pathOf(request) ?? '') ? request.url : undefined

export function joined(requests: readonly RequestSpec[]): RequestSpec {
  const [first] = requests as readonly [RequestSpec]
  const bodies = requests.map(({ json }) => json)
  return pathOf(first) === 'order'
    ? { ...first, url: `${first.url}/batch`, json: { orders: bodies } }
    : {
        ...first,
        url: `${first.url}/batches`,
        json: { batches: [{ events: bodies.flatMap((body) => (body as { events: object[] }).events) }] },
      }
}

/** Who is added to an email series: https://developer.drip.com/#subscribe-someone-to-a-campaign */
export const listedOf = ({ user }: RequestContext) => ({ subscribers: [{ email: user.email }] })
