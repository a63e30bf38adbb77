import type { EventItem } from '#contract/event.ts'
import { wholeQuantity } from '#provider/form/items.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import type { RequestContext, RequestSpec, Skip } from '#provider/form/request.ts'
import { isoTime } from '#provider/form/time.ts'
import { checkbox, optional } from '#provider/form/variables.ts'
import { boundedProperties, snakeCaseProperties } from '#provider/vendors/boundedProperties.ts'

/** The versions of the recommended events. Another version is ignored by automations. */
export const eventVersions: Readonly<Record<string, string>> = {
  'viewed product': 'v4', // https://api-docs.omnisend.com/docs/how-to-enable-product-abandonment
  'added product to cart': '',
  'started checkout': '', // https://api-docs.omnisend.com/docs/started-checkout; public implementations send v2
  'placed order': 'v2', // https://api-docs.omnisend.com/docs/how-to-enable-order-confirmation-flow shows v2 for a paid order
}

const lineItem = ({ id, variantId = id, sku, title, quantity = 1, item_price, url, image }: EventItem) => ({
  productID: id,
  productVariantID: variantId,
  productSKU: sku,
  productTitle: title,
  productQuantity: wholeQuantity({ quantity }),
  productPrice: item_price,
  productURL: url,
  productImageURL: image,
})

/** An event names one added product: more than this number of products in one event are not named. */
const maxAddedItems = 20

function cartOf({ data, event, items, value }: RequestContext) {
  const cartID = typeof data.cartId === 'string' && data.cartId ? data.cartId : event.eventId
  return {
    cartID,
    abandonedCheckoutURL: data.checkoutUrl,
    currency: data.currency,
    value,
    lineItems: items.map(lineItem),
  }
}

function viewedProduct({ data, event, items: [item] }: RequestContext) {
  if (!item) return undefined
  const { id, title, item_price: price, url = event.pageUrl, image: imageUrl } = item
  return { id, title, price, currency: data.currency, url, imageUrl, status: 'inStock' }
}

const orderOf = ({ data, event, items, orderId, value }: RequestContext) => ({
  orderID: orderId,
  orderNumber: orderId,
  createdAt: isoTime(event.timestamp),
  currency: data.currency,
  totalPrice: value,
  paymentStatus: 'paid',
  fulfillmentStatus: 'unfulfilled',
  lineItems: items.map(lineItem),
})

/** The properties of each event that is sent for one event. Custom events have flat properties. */
export function propertiesOf(name: string, context: RequestContext): object[] {
  if (name === 'placed order') return [orderOf(context)]
  if (name === 'viewed product') return [{ product: viewedProduct(context) }]
  if (name === 'started checkout') return [cartOf(context)]
  const added = context.items.slice(0, maxAddedItems).map(lineItem)
  if (name === 'added product to cart')
    return (added.length > 0 ? added : [undefined]).map((addedItem) => ({ ...cartOf(context), addedItem }))
  const flat = boundedProperties(snakeCaseProperties(context), { nested: 'omit' })
  return [{ ...flat, ...added[0] }]
}

/**
 * The update of a contact, which Omnisend finds by its e-mail: https://api-docs.omnisend.com/reference/patch_contacts.
 * It has no `identifiers`, so it changes no subscription. Who is no contact is not made one.
 */
export function contactUpdate(
  { email, phone: _, ...fields }: Readonly<Record<string, string | undefined>>,
  { headers, customProperties }: { headers: Readonly<Record<string, string>>; customProperties: object | undefined },
): RequestSpec | Skip {
  const json = unlessEmpty({ ...fields, customProperties })
  if (!email) return { skipped: 'identityMissing' }
  if (!json) return { skipped: 'filtered' }
  return { method: 'PATCH', url: 'https://api.omnisend.com/api/contacts', query: { email }, headers, json }
}

/** Omnisend has no lists: who subscribes gets all campaigns by e-mail. */
export const optInVariable = checkbox(
  'Subscribe by e-mail',
  'Subscribe makes the contact a subscriber by e-mail, unless the person refused advertising. No other event does.',
  optional,
)

/**
 * Makes a contact a subscriber: https://api-docs.omnisend.com/reference/post_contacts. `statusDate` of the older guide
 * is `statusChangedAt` in the version that is called.
 */
export function subscriptionOf(
  { event, user }: RequestContext,
  headers: Readonly<Record<string, string>>,
): RequestSpec | undefined {
  const { email } = user
  const status = { status: 'subscribed', statusChangedAt: isoTime(event.timestamp) }
  const identifiers = [{ type: 'email', id: email, channels: { email: status } }]
  return email ? { url: 'https://api.omnisend.com/api/contacts', headers, json: { identifiers } } : undefined
}
