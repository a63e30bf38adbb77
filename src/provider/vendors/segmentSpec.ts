import type { EventItem } from '#contract/event.ts'
import { remainingData } from '#provider/form/eventData.ts'
import { toUuid } from '#provider/form/ids.ts'
import { mapItems } from '#provider/form/items.ts'
import { roundedToHundredths } from '#provider/form/money.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import type { RequestContext, RequestSpec } from '#provider/form/request.ts'
import { isoTime } from '#provider/form/time.ts'
import { pageQuery, percentDecoded } from '#provider/form/url.ts'

// https://segment.com/docs/connections/spec/ecommerce/v2/: several vendors accept events with these names and fields

export const segmentEvents = {
  PageView: 'page',
  ViewContent: 'Product Viewed',
  AddToCart: 'Product Added',
  RemoveFromCart: 'Product Removed',
  InitiateCheckout: 'Checkout Started',
  AddShippingInfo: 'Checkout Step Completed',
  AddPaymentInfo: 'Payment Info Entered',
  Purchase: 'Order Completed',
  Refund: 'Order Refunded',
  Subscribe: 'Subscribe',
  Search: 'Products Searched',
  Lead: 'Lead',
  AddToWishlist: 'Product Added to Wishlist',
  CompleteRegistration: 'Signed Up',
  StartTrial: 'Trial Started',
  Login: 'Signed In',
  ViewCart: 'Cart Viewed',
  ViewItemList: 'Product List Viewed',
  SelectItem: 'Product Clicked',
  ViewPromotion: 'Promotion Viewed',
  SelectPromotion: 'Promotion Clicked',
} as const

/** Events with one product. Several products need one call each. */
const ofOneProduct: readonly string[] = ['ViewContent', 'AddToCart', 'RemoveFromCart', 'AddToWishlist', 'SelectItem']
const maxMessageBytes = 32_000
const maxSingleCalls = 10
/** 15 calls of 32 KB stay below the 500 KB limit of a request. */
const callsInBatch = 15

const productOf = ({ id, sku, title, item_price, quantity, brand, category, variantId, url, image }: EventItem) => ({
  product_id: id,
  sku,
  name: title,
  price: item_price,
  quantity,
  brand,
  category,
  variant: variantId,
  url,
  image_url: image,
})

const rowTotal = ({ item_price, quantity = 1 }: EventItem) =>
  item_price === undefined ? undefined : roundedToHundredths(item_price * quantity)

/** The page of an event. `search` and `path` are parts of its URL. */
function pageOf({ pageUrl, pageTitle, referrer, search }: RequestContext['event']) {
  const url = pageUrl ? URL.parse(pageUrl) : null
  return unlessEmpty({
    url: pageUrl,
    title: pageTitle,
    referrer,
    search: search || url?.search || undefined,
    path: url?.pathname,
  })
}

function campaignOf(event: RequestContext['event']) {
  const {
    utm_source: source,
    utm_medium: medium,
    utm_campaign: name,
    utm_term: term,
    utm_content: content,
  } = pageQuery(event)
  return unlessEmpty({ source, medium, name, term, content })
}

/** The amounts of an order or a refund, in addition to `value`. */
const amountsOf = ({ event: { eventName }, value }: RequestContext) => ({
  revenue: eventName === 'Purchase' ? value : undefined,
  total: eventName === 'Purchase' || eventName === 'Refund' ? value : undefined,
})

/** The properties of each call for an event. */
function propertiesOf(context: RequestContext): ((products: readonly EventItem[]) => object)[] {
  const { event, data, items, coupon, value } = context
  const common = {
    ...remainingData(data, 'contents', 'orderId', 'search', 'discounts', 'valueBeforeDiscount', 'checkoutUrl'),
    value,
    order_id: data.orderId,
    coupon,
    ...amountsOf(context),
    query: data.search,
  }
  if (!ofOneProduct.includes(event.eventName))
    return [(products) => ({ ...common, products: mapItems(products, productOf) })]
  if (items.length < 2) return [() => ({ ...common, ...(items[0] && productOf(items[0])) })]
  return items.map((item) => () => ({ ...common, ...productOf(item), value: rowTotal(item) }))
}

/** The call with the items halved until it fits into 32 KB or has at most 20 items. */
function withinBytes(make: (products: readonly EventItem[]) => object, items: readonly EventItem[]): object {
  let kept = items
  let call = make(kept)
  while (kept.length > 20 && Buffer.byteLength(JSON.stringify(call)) > maxMessageBytes) {
    kept = kept.slice(0, kept.length >> 1)
    call = make(kept)
  }
  return call
}

/** The id if it has at most 90 characters, otherwise the UUID that is derived from it. */
const messageIdOf = (eventId: string) => (eventId.length > 90 ? toUuid(eventId) : eventId)

/** The value of a cookie that may be percent-encoded and quoted. */
export const unquoted = (value: string | undefined): string | undefined =>
  (value && percentDecoded(value).replace(/^"|"$/g, '')) || undefined

/** The person's fields in `context`. */
type ContextFields = { email?: string; phone?: string; ip?: string; userAgent?: string; library?: object }

/** The requests for an event. `api`: the URL before `/track`. `ids`: `userId`, `anonymousId` or both. */
export function segmentRequests(
  api: string,
  headers: { authorization: string },
  context: RequestContext,
  name: string,
  ids: object,
  { email, phone, ...fields }: ContextFields,
): RequestSpec[] {
  const { event } = context
  const page = pageOf(event)
  const traits = unlessEmpty({ email, phone })
  const common = {
    ...ids,
    timestamp: isoTime(event.timestamp),
    context: { ...fields, page, traits, campaign: campaignOf(event) },
  }
  const messageId = messageIdOf(event.eventId)
  if (event.eventName === 'PageView') {
    const { contents: _, ...data } = remainingData(context.data)
    return [{ url: `${api}/page`, headers, json: { ...common, messageId, properties: { ...data, ...page } } }]
  }
  const made = propertiesOf(context)
  const calls = made.map((properties, at) => ({
    url: `${api}/track`,
    headers,
    json: withinBytes(
      (products) => ({
        ...common,
        event: name,
        messageId: at === 0 ? messageId : `${messageId}:${at + 1}`,
        properties: properties(products),
      }),
      context.items,
    ),
  }))
  return calls.length > maxSingleCalls ? chunksOf(calls).map(segmentBatch) : calls
}

const chunksOf = <T>(calls: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(calls.length / callsInBatch) }, (_, at) =>
    calls.slice(at * callsInBatch, (at + 1) * callsInBatch),
  )

type Batch = { batch: readonly object[] }

/** The calls in a request, each with its type. */
function callsOf({ url, json }: RequestSpec): readonly object[] {
  if (url.endsWith('/batch')) return (json as Batch).batch
  return [{ type: url.endsWith('/page') ? 'page' : 'track', ...(json as object) }]
}

/** Joins the calls of several requests into one request. */
export function segmentBatch(requests: readonly RequestSpec[]): RequestSpec {
  const [first] = requests
  const url = first!.url.replace(/\/(?:page|track)$/, '/batch')
  return { ...first!, url, json: { batch: requests.flatMap(callsOf) } satisfies Batch }
}

/** How many calls a request holds. */
export const countSegmentCalls = (request: RequestSpec): number => callsOf(request).length
