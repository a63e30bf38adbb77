import type { EventItem } from '#contract/event.ts'
import { remainingData } from '#provider/form/eventData.ts'
import { roundedToHundredths } from '#provider/form/money.ts'
import { emailAddress, phoneE164 } from '#provider/form/normalise.ts'
import { asList, unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import type { CapturedValues, RequestContext, RequestSpec, Skip } from '#provider/form/request.ts'
import { truncate } from '#provider/form/text.ts'
import { isoTime } from '#provider/form/time.ts'
import { percentDecoded } from '#provider/form/url.ts'
import { plain } from '#provider/form/userRule.ts'
import { apiVersionDate, checkbox, idCheck, optional, password } from '#provider/form/variables.ts'
import { mappedTraits, traitMapping } from '#provider/vendors/personTraits.ts'
import { listVariable, withSubscription } from '#provider/vendors/subscription.ts'

const api = 'https://a.klaviyo.com/api'

const revisions = 'https://developers.klaviyo.com/en/docs/api_versioning_and_deprecation_policy'

const media = 'application/vnd.api+json'

export default provider({
  label: 'Klaviyo',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://developers.klaviyo.com/en/reference/create_event',
  dashboardUrl: 'https://www.klaviyo.com/settings/account/api-keys',
  links: {
    onboarding: 'https://help.klaviyo.com/hc/en-us/articles/7423954176283',
    introduction: 'https://developers.klaviyo.com/en/reference/events_api_overview',
  },
  host: 'fixed',

  secrets: {
    KLAVIYO_API_KEY: password(
      'Private API key',
      'Settings, API keys, Create: with full access to events and profiles. pk_…',
    ),
    KLAVIYO_REVISION: apiVersionDate('API revision', '2026-07-15', revisions),
    KLAVIYO_TRAITS: traitMapping('a custom property of your profiles', ['tier', 'Tier'], { keys: 'custom' }),
    KLAVIYO_LIST_ID: listVariable('List', 'Your list, Settings: its ID.', 'Y6nRLr', idCheck),
    KLAVIYO_SEND_ORDERED_PRODUCT: checkbox('Ordered Product', 'After Placed Order, one for each product.', optional),
  },

  events: {
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
  },
  customEventName: (eventName) => truncate(eventName, 128),
  user: {
    email: plain('email', emailAddress),
    // An invalid number makes Klaviyo reject the whole event.
    phone_number: plain('phone', phoneE164),
    external_id: plain('customerId', (raw) => truncate(raw.trim(), 255) || undefined),
    first_name: plain('firstName'),
    last_name: plain('lastName'),
    city: plain('city'),
    region: plain('state'),
    country: plain('country'),
    zip: plain('zip'),
    ip: plain('ip'),
  },
  personId: 'customerId',
  // An order with only an e-mail: Create Event finds the profile with this e-mail, including one with an external id.
  // An anonymous_id would create a profile for each visitor, so only Klaviyo's own exchange id identifies anonymous
  // visitors.
  requires: ['email', 'phone_number', 'external_id', 'captured._kx', 'captured.__kla_id'],
  acceptsUserEvents: true,
  captures: [{ query: '_kx', cookie: '__kla_id' }],
  matchKeys: {
    strong: ['email', 'external_id', 'phone_number', 'captured._kx', 'captured.__kla_id'],
  },
  dedup: 'unique_id, for one profile and metric',

  request(context, secrets, name) {
    const { event, data, value } = context
    const { city, region, country, zip, ip, ...ids } = context.user
    const _kx = exchangeId(context.captured)
    if (!_kx && !ids.email && !ids.phone_number && !ids.external_id) return { skipped: 'identityMissing' }
    const { KLAVIYO_API_KEY: key, KLAVIYO_REVISION: revision } = secrets
    const headers = { authorization: `Klaviyo-API-Key ${key}`, revision, 'content-type': media, accept: media }
    const profile = { ...ids, _kx, location: unlessEmpty({ city, region, country, zip, ip }) }
    const traits = () => mappedTraits(context, secrets.KLAVIYO_TRAITS)
    if (context.kind === 'user') return profileImport(profile, traits(), { url: `${api}/profile-import`, headers })
    const common = { time: isoTime(event.timestamp), value_currency: data.currency }
    const send = (metric: string, more: object) => ({
      url: `${api}/events`,
      headers,
      json: eventOf(metric, profile, { ...common, ...more }),
    })
    const add = (list: string) => subscriptionOf(ids.email, list, { url: api + subscriptionPath, headers })
    const sold = orderedProducts(context, secrets.KLAVIYO_SEND_ORDERED_PRODUCT)
    const eventRequest = send(name, { unique_id: event.eventId, value, properties: propertiesOf(context) })
    const orders = sold.map((more) => send('Ordered Product', more))
    return withSubscription(context, secrets.KLAVIYO_LIST_ID, add, eventRequest, ...orders)
  },
  // Several events use the endpoint for bulk jobs.
  batch: {
    maxEvents: 1_000,
    joinKey: ({ url }) => (url.endsWith('/events') ? url : undefined),
    maxBytes: 5_000_000,
    join: (requests) => ({ ...requests[0]!, url: `${api}/event-bulk-create-jobs`, json: jobOf(requests) }),
  },
})

/**
 * The exchange id that Klaviyo adds to links in e-mails. Its cookie holds the id as base64 JSON (according to public
 * implementations, not documented).
 */
const exchangeId = ({ _kx, __kla_id }: CapturedValues) =>
  _kx?.value ??
  (__kla_id && /"\$exchange_id":"([^"]+)"/.exec(Buffer.from(percentDecoded(__kla_id.value), 'base64').toString())?.[1])

// Field names of Klaviyo's guide for e-commerce integrations. Its built-in flows and e-mail blocks read them.
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
 * Viewed Product has the product's fields at the top level of the properties; Added to Cart has them with the prefix
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

const propertiesOf = ({ event, data, items, coupon }: RequestContext): object => ({
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
const eventOf = (name: string, profile: object, attributes: object): EventBody => ({
  data: {
    type: 'event',
    attributes: {
      ...attributes,
      metric: { data: { type: 'metric', attributes: { name } } },
      profile: { data: { type: 'profile', attributes: profile } },
    },
  },
})

/** A bulk job groups events by profile. */
function toBulkEvent({ json }: RequestSpec) {
  const { profile, ...attributes } = (json as EventBody).data.attributes
  return { type: 'event-bulk-create', attributes: { profile, events: { data: [{ type: 'event', attributes }] } } }
}

const jobOf = (sends: readonly RequestSpec[]) => ({
  data: {
    type: 'event-bulk-create-job',
    attributes: { 'events-bulk-create': { data: sends.map(toBulkEvent) } },
  },
})

type KnownProfile = { email?: string; phone_number?: string; external_id?: string; _kx?: string | undefined }

/**
 * Creates or updates the profile of a person: https://developers.klaviyo.com/en/reference/create_or_update_profile.
 * Undefined if only ids are known. Subscribes nobody; another call does that.
 */
function profileImport(
  { email, phone_number, external_id, _kx, ...fields }: KnownProfile,
  properties: object | undefined,
  request: RequestSpec,
): RequestSpec | Skip {
  const known = unlessEmpty({ ...fields, properties })
  if (!known) return { skipped: 'filtered' }
  const attributes = { email, phone_number, external_id, _kx, ...known }
  return { ...request, json: { data: { type: 'profile', attributes } } }
}

const subscriptionPath = '/profile-subscription-bulk-create-jobs'

/** Adds an e-mail to a list and sets its consent: https://developers.klaviyo.com/en/reference/bulk_subscribe_profiles */
function subscriptionOf(email: string | undefined, list: string, request: RequestSpec): RequestSpec | undefined {
  if (!email) return undefined
  const subscriptions = { email: { marketing: { consent: 'SUBSCRIBED' } } }
  const profile = { type: 'profile', attributes: { email, subscriptions } }
  const attributes = { profiles: { data: [profile] } }
  const relationships = { list: { data: { type: 'list', id: list } } }
  return { ...request, json: { data: { type: 'profile-subscription-bulk-create-job', attributes, relationships } } }
}

/** One event for each item of an order. */
function orderedProducts({ event, data, items }: RequestContext, isOn: string | undefined) {
  const sold = event.eventName === 'Purchase' && isOn === '1' ? items.map(lineItem) : []
  return sold.map((product, i) => ({
    unique_id: `${event.eventId}:${i + 1}`,
    value: product.RowTotal,
    properties: { OrderId: data.orderId, ...product },
  }))
}
