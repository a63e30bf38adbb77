import type { EventItem } from '#contract/event.ts'
import { remainingData } from '#provider/form/eventData.ts'
import { roundedToHundredths } from '#provider/form/money.ts'
import { asList, unlessEmpty } from '#provider/form/optionalValues.ts'
import type { CapturedValues, RequestContext, RequestSpec, Skip } from '#provider/form/request.ts'
import { percentDecoded } from '#provider/form/url.ts'

export const eventNames = {
  PageView: 'Active on Site',
  ViewContent: 'Viewed Product',
  AddToCart: 'Added to Cart',
  RemoveFromCart: 'Removed from Cart',
  InitiateCheckout: 'Started Checkout',
  AddShippingInfo: 'Added Shipping Info',
  AddPaymentInfo: 'Added Payment Info',
  Purchase: 'Placed Order',
  Refund: 'Refunded Order',
  Subscribe: 'Subscribed',
  Search: 'Searched Site',
  Lead: 'Lead',
}

/**
 * The exchange id that Klaviyo adds to links in e-mails. Its cookie holds it as base64 JSON (from public
 * implementations, not documented).
 */
export const exchangeId = ({ _kx, __kla_id }: CapturedValues) =>
  _kx?.value ??
  (__kla_id && /"\$exchange_id":"([^"]+)"/.exec(Buffer.from(percentDecoded(__kla_id.value), 'base64').toString())?.[1])

// field names of Klaviyo's guide for e-commerce integrations, which its built-in flows and e-mail blocks read
const lineItem = ({ id, sku, title, quantity = 1, item_price, url, image, category, brand }: EventItem) => ({
  ProductID: id,
  SKU: sku,
  ProductName: title,
  Quantity: quantity,
  ItemPrice: item_price,
  RowTotal: item_price && roundedToHundredths(item_price * quantity),
  ProductURL: url,
  ImageURL: image,
  Categories: asList(category),
  Brand: brand,
})

/**
 * Viewed Product has the product's fields at the top of the properties, Added to Cart has them with the prefix
 * `AddedItem`.
 */
function productOf(eventName: string, [item]: readonly EventItem[]): object {
  if (!item || !['ViewContent', 'AddToCart'].includes(eventName)) return {}
  const { ProductName, ProductID, SKU, Categories, ImageURL, ProductURL: URL, Brand } = lineItem(item)
  const product = { ProductName, ProductID, SKU, Categories, ImageURL, URL, Price: item.item_price }
  if (eventName === 'ViewContent') return { ...product, Brand }
  const added = { ...product, Quantity: item.quantity }
  return Object.fromEntries(Object.entries(added).map(([name, value]) => [`AddedItem${name}`, value]))
}

/** The properties of an event. */
export const propertiesOf = ({ event, data, items, coupon }: RequestContext): object => ({
  ...remainingData(data, 'value', 'currency', 'contents', 'orderId', 'search', 'discount', 'discounts', 'checkoutUrl'),
  ...productOf(event.eventName, items),
  OrderId: data.orderId,
  ItemNames: data.contents?.flatMap(({ title }) => title ?? []),
  Items: data.contents?.map(lineItem),
  DiscountCode: coupon,
  DiscountValue: data.discount,
  CheckoutURL: data.checkoutUrl,
  SearchTerm: data.search,
  PageURL: event.pageUrl,
  PageTitle: event.pageTitle,
  Referrer: event.referrer,
})

type EventBody = { data: { type: 'event'; attributes: { profile: unknown; [name: string]: unknown } } }

/** An event with its metric and profile, in JSON:API format. */
export const eventOf = (name: string, profile: object, attributes: object): EventBody => ({
  data: {
    type: 'event',
    attributes: {
      ...attributes,
      metric: { data: { type: 'metric', attributes: { name } } },
      profile: { data: { type: 'profile', attributes: profile } },
    },
  },
})

/** A bulk job lists events below their profile. */
function toBulkEvent({ json }: RequestSpec) {
  const { profile, ...attributes } = (json as EventBody).data.attributes
  return { type: 'event-bulk-create', attributes: { profile, events: { data: [{ type: 'event', attributes }] } } }
}

export const jobOf = (sends: readonly RequestSpec[]) => ({
  data: {
    type: 'event-bulk-create-job',
    attributes: { 'events-bulk-create': { data: sends.map(toBulkEvent) } },
  },
})

type KnownProfile = { email?: string; phone_number?: string; external_id?: string; _kx?: string | undefined }

/**
 * What is known of a person, which is created where it is not there:
 * https://developers.klaviyo.com/en/reference/create_or_update_profile. Undefined for the ids alone. It subscribes
 * nobody: that is another call.
 */
export function profileImport(
  { email, phone_number, external_id, _kx, ...fields }: KnownProfile,
  properties: object | undefined,
  request: RequestSpec,
): RequestSpec | Skip {
  const known = unlessEmpty({ ...fields, properties })
  if (!known) return { skipped: 'filtered' }
  const attributes = { email, phone_number, external_id, _kx, ...known }
  return { ...request, json: { data: { type: 'profile', attributes } } }
}

export const subscriptionPath = '/profile-subscription-bulk-create-jobs'

/** Adds an e-mail to a list, with its consent: https://developers.klaviyo.com/en/reference/bulk_subscribe_profiles */
export function subscriptionOf(email: string | undefined, list: string, request: RequestSpec): RequestSpec | undefined {
  if (!email) return undefined
  const subscriptions = { email: { marketing: { consent: 'SUBSCRIBED' } } }
  const profile = { type: 'profile', attributes: { email, subscriptions } }
  const attributes = { profiles: { data: [profile] } }
  const relationships = { list: { data: { type: 'list', id: list } } }
  return { ...request, json: { data: { type: 'profile-subscription-bulk-create-job', attributes, relationships } } }
}

/** One event for each item of an order. */
export function orderedProducts({ event, data, items }: RequestContext, isOn: string | undefined) {
  const sold = event.eventName === 'Purchase' && isOn === '1' ? items.map(lineItem) : []
  return sold.map((product, i) => ({
    unique_id: `${event.eventId}:${i + 1}`,
    value: product.RowTotal,
    properties: { OrderId: data.orderId, ...product },
  }))
}
