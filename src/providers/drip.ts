import type { EventData, EventItem } from '#contract/event.ts'
import { basicAuth } from '#provider/form/authorization.ts'
import { wholeQuantity } from '#provider/form/items.ts'
import { minorUnits, withoutFloatError } from '#provider/form/money.ts'
import { emailAddress, phoneE164 } from '#provider/form/normalise.ts'
import { asList, unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import type { RequestContext, RequestSpec } from '#provider/form/request.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import type { RequestSteps } from '#provider/form/steps.ts'
import { isoTime } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { noSpaces, shape } from '#provider/form/valueChecks.ts'
import { identifier, password, text } from '#provider/form/variables.ts'
import { boundedProperties, propertiesWithFirstItem } from '#provider/vendors/boundedProperties.ts'
import { listVariable, withSubscription } from '#provider/vendors/subscription.ts'

const api = 'https://api.getdrip.com'

// 3,600 requests per hour are too few for page views.
const { PageView: _, ...names } = standardEventNames

/** Events and orders have a route for batches; carts do not. */
const batchRoute = (request: RequestSpec): string | undefined =>
  ['events', 'order'].includes(pathOf(request) ?? '') ? request.url : undefined

export default provider({
  label: 'Drip',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://developer.drip.com/#shopper-activity',
  dashboardUrl: 'https://www.getdrip.com/user/edit',
  links: {
    onboarding: 'https://developer.drip.com/#authentication',
    introduction: 'https://developer.drip.com/#events',
    faq: 'https://developer.drip.com/#rate-limiting',
  },
  host: 'fixed',

  secrets: {
    DRIP_ACCOUNT_ID: identifier('Account ID', 'Settings, Account, General info: the number of the account.', {
      placeholder: '9999999',
      check: shape(/^[\w-]+$/, 'Write only the number of the account.'),
    }),
    DRIP_API_TOKEN: password('API token', 'User settings, User info: the API token.', { check: noSpaces }),
    DRIP_PROVIDER: text('Provider', 'The name of the shop with its orders, in lower snake case. Default: its domain.', {
      optional: true,
      placeholder: 'my_store',
      check: noSpaces,
    }),
    DRIP_LIST_CAMPAIGN_ID: listVariable('Email series', 'Email Series: the number in the address.', '888888'),
  },

  events: {
    ...names,
    ViewContent: 'Viewed a Product',
    AddToCart: 'Added to cart',
    RemoveFromCart: 'Removed from cart',
    InitiateCheckout: 'Started checkout',
    Purchase: 'Placed an order',
  },
  customEventName: (eventName) => eventName,
  user: {
    email: plain('email', emailAddress),
    first_name: plain('firstName'),
    last_name: plain('lastName'),
    phone: plain('phone', phoneE164),
    city: plain('city'),
    state: plain('state'),
    zip: plain('zip'),
    country: plain('country'),
  },
  personId: 'none',
  // An order with only an e-mail: an event finds the subscriber with this e-mail. person_id holds only Drip's own ids.
  requires: ['email'],
  acceptsUserEvents: true,
  matchKeys: {
    strong: ['email', 'phone'],
  },
  dedup: 'order_id with provider; none for events',

  // The page about events does not state the status of a newly created person; the page about orders and carts does. A
  // refunded order requires its original grand_total, which a Refund event lacks, so a refund is sent as an event
  // without a value.
  request(context, secrets, name) {
    const site = siteOf(context.event.pageUrl)
    const headers = {
      authorization: basicAuth(secrets.DRIP_API_TOKEN),
      'user-agent': site ? `Aglet (${site})` : 'Aglet',
    }
    const v2 = `${api}/v2/${secrets.DRIP_ACCOUNT_ID}`
    if (context.kind === 'user') {
      const subscribers = subscribersOf(context.user)
      return subscribers ? { url: `${v2}/subscribers`, headers, json: { subscribers } } : { skipped: 'filtered' }
    }
    const asEvent = () => ({ url: `${v2}/events`, headers, json: { events: [eventOf(context, name)] } })
    const activity = activityOf(context)
    const add = (series: string) => ({ url: `${v2}/campaigns/${series}/subscribers`, headers, json: listedOf(context) })
    if (!activity) return withSubscription(context, secrets.DRIP_LIST_CAMPAIGN_ID, add, asEvent())
    const { route, body } = activity
    const json = { ...commonActivity(context, providerName(secrets.DRIP_PROVIDER ?? site)), ...body }
    const asActivity = { url: `${api}/v3/${secrets.DRIP_ACCOUNT_ID}/shopper_activity/${route}`, headers, json }
    return route === 'checkout' ? elseEvent(asActivity, asEvent()) : asActivity
  },
  batch: { maxEvents: 1_000, join: joined, joinKey: batchRoute },
})

/** The host of the page without `www.`. Undefined if the page is not known. */
const siteOf = (pageUrl: string | undefined): string | undefined =>
  /^https?:\/\/(?:www\.)?([a-z0-9.-]{1,253})/i.exec(pageUrl ?? '')?.[1]?.toLowerCase()

/** Lower snake case, as the vendor requires: `shop_example`. */
const providerName = (site = 'aglet'): string => site.toLowerCase().replace(/[^a-z0-9]/g, '_')

/** A name is required. A product without variants repeats its id. */
function itemOf({ id, variantId = id, sku, title: name = id, brand, category, item_price: price, ...item }: EventItem) {
  const { quantity: given = 1, url: product_url, image: image_url } = item
  const quantity = wholeQuantity({ quantity: given })
  const total = price === undefined ? undefined : withoutFloatError(price * quantity)
  const product = { product_id: id, product_variant_id: variantId, sku, name, brand, categories: asList(category) }
  return { ...product, price, quantity, total, product_url, image_url }
}

const textAt = (data: EventData, key: string): string | undefined =>
  typeof data[key] === 'string' && data[key] ? data[key] : undefined

/** The route of shopper activity and its required fields. Undefined for an event without a route. */
function activityOf({ event, data, orderId }: RequestContext): { route: string; body: object } | undefined {
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

/** The fields of all shopper activity. Without `initial_status`, an unknown person is subscribed. */
const commonActivity = ({ event, data, items, user, value }: RequestContext, provider: string) => ({
  provider,
  email: user.email,
  initial_status: 'unsubscribed',
  occurred_at: isoTime(event.timestamp),
  grand_total: value,
  currency: data.currency,
  items: items.filter(({ id, title }) => id ?? title).map(itemOf),
})

/**
 * A person's known values. Undefined if only the e-mail is known. `initial_status` applies to people whom Drip does not
 * know.
 */
function subscribersOf({ email, ...fields }: RequestContext['user']): readonly object[] | undefined {
  return unlessEmpty(fields) && [{ email, initial_status: 'unsubscribed', ...fields }]
}

/** `value` counts as revenue, in cents and below 2,147,483,647. A refund has no `value`. */
function eventOf(context: RequestContext, action: string): object {
  const { event, data, user, value } = context
  const { value: _, ...properties } = boundedProperties(propertiesWithFirstItem(context), {})
  const cents = value === undefined ? undefined : minorUnits(value, data.currency)
  const isRefund = event.eventName === 'Refund'
  const isRevenue = !isRefund && cents !== undefined && cents >= 0 && cents < 2_147_483_647
  const money = isRefund ? { refund_amount: value } : { value: isRevenue ? cents : undefined }
  return { email: user.email, action, occurred_at: isoTime(event.timestamp), properties: { ...properties, ...money } }
}

/**
 * The route of a checkout appears only in the vendor's client, not in its documentation. If the route does not exist,
 * the event is sent instead.
 */
const elseEvent = (checkout: RequestSpec, event: RequestSpec): RequestSteps => ({
  next(results) {
    const responseRules = [{ status: 404, verdict: 'delivered' }] as const
    if (results.length === 0) return { ...checkout, resultPath: 'request_id', responseRules }
    return results.length === 1 && results[0] === undefined ? event : undefined
  },
})

const pathOf = ({ url }: RequestSpec) => URL.parse(url)?.pathname.split('/').at(-1)

function joined(requests: readonly RequestSpec[]): RequestSpec {
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

/** Adds a person to an email series: https://developer.drip.com/#subscribe-someone-to-a-campaign */
const listedOf = ({ user }: RequestContext) => ({ subscribers: [{ email: user.email }] })
