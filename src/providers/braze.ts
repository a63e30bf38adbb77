import type { EventData, EventItem } from '#contract/event.ts'
import { bearerAuth } from '#provider/form/authorization.ts'
import { remainingData } from '#provider/form/eventData.ts'
import { itemsWithId, wholePieces } from '#provider/form/items.ts'
import { countryCode, emailAddress, phoneE164 } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { isoTime } from '#provider/form/time.ts'
import { originOf } from '#provider/form/url.ts'
import { plain } from '#provider/form/userRule.ts'
import {
  baseUrl,
  checkbox,
  commaList,
  identifier,
  optional,
  password,
  text,
  urlCheck,
} from '#provider/form/variables.ts'
import { mappedTraits, traitMapping } from '#provider/vendors/personTraits.ts'

const eventNames = {
  ...standardEventNames,
  ViewContent: 'ecommerce.product_viewed',
  AddToCart: 'ecommerce.cart_updated',
  RemoveFromCart: 'ecommerce.cart_updated',
  InitiateCheckout: 'ecommerce.checkout_started',
  Purchase: 'ecommerce.order_placed',
  Refund: 'ecommerce.order_refunded',
}

/** The members of `errors` are undocumented; these were observed. `index` counts within `input_array`. */
type TrackResponse = { message?: string; errors?: { type?: string; input_array: string; index: number }[] }

/** The other rows were accepted only if the message is `success`. */
const failedRows = ({ message, errors = [] }: TrackResponse) =>
  message === 'success' ? errors.map(({ input_array: list, index: row, type }) => ({ list, row, message: type })) : []

export default provider({
  label: 'Braze',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://www.braze.com/docs/api/endpoints/user_data/post_user_track',
  dashboardUrl: 'https://dashboard.braze.com/app_settings/developer_console',
  links: { onboarding: 'https://www.braze.com/docs/api/basics' },
  host: 'tenant',

  secrets: {
    BRAZE_API_KEY: password('REST API key', 'Settings, APIs and Identifiers, API Keys: one that may users.track.'),
    BRAZE_REST_ENDPOINT: text(
      'REST endpoint',
      'Of your instance: Settings, APIs and Identifiers, below the API keys.',
      { placeholder: 'https://rest.iad-01.braze.com', check: urlCheck },
    ),
    BRAZE_EVENT_PREFIX: text('Prefix', 'Prefix of the name of each custom event.', optional),
    BRAZE_TRAITS: traitMapping('a custom attribute of your users', ['tier', 'tier'], { keys: 'custom' }),
    BRAZE_EXCLUDED_EVENTS: text('Excluded events', 'Names of events that are not sent, separated by commas.', {
      ...optional,
      input: 'list',
    }),
    BRAZE_APP_ID: identifier('App identifier', 'Settings, App Settings: the API key of the app.', optional),
    BRAZE_USE_PURCHASE_EVENTS: checkbox(
      'Legacy purchases',
      'Purchase goes as purchase objects. New customers of Braze cannot use them.',
      optional,
    ),
  },

  events: eventNames,
  customEventName: (eventName) => eventName,
  user: {
    external_id: plain('customerId'),
    email: plain('email', emailAddress),
    phone: plain('phone', phoneE164),
    first_name: plain('firstName'),
    last_name: plain('lastName'),
    country: plain('country', countryCode),
  },
  personId: 'customerId',
  // An order with only an e-mail: /users/track finds or creates the user with this e-mail. At the next order with both,
  // /users/identify merges this user into the user with the id.
  requires: ['external_id', 'email', 'phone'],
  acceptsUserEvents: true,
  matchKeys: {
    strong: ['external_id', 'email', 'phone'],
  },
  dedup: 'none: a repeat is counted twice; properties.event_id shows it',

  request(context, secrets, name) {
    const { eventName, timestamp } = context.event
    if (commaList(secrets.BRAZE_EXCLUDED_EVENTS).includes(eventName)) return { skipped: 'filtered' }
    const { external_id, email, phone, ...profile } = context.user
    const ids = { external_id, email, phone: email ? undefined : phone }
    const track = {
      url: `${baseUrl(secrets.BRAZE_REST_ENDPOINT)}/users/track`,
      headers: { authorization: bearerAuth(secrets.BRAZE_API_KEY) },
    }
    if (context.kind === 'user') {
      const known = unlessEmpty({ phone, ...profile, ...mappedTraits(context, secrets.BRAZE_TRAITS) })
      return known ? { ...track, json: { attributes: [{ ...ids, ...known }] } } : { skipped: 'filtered' }
    }
    const person = { ...ids, app_id: secrets.BRAZE_APP_ID }
    const time = isoTime(timestamp)
    const isCustom = !Object.hasOwn(eventNames, eventName)
    const isShop = !isCustom && name.startsWith('ecommerce.')
    const properties = isShop ? shopProperties(name, context) : otherProperties(context)
    const event = { ...person, name: isCustom ? (secrets.BRAZE_EVENT_PREFIX ?? '') + name : name, time, properties }
    const isLegacy = eventName === 'Purchase' && secrets.BRAZE_USE_PURCHASE_EVENTS === '1'
    const eventRequest = {
      ...track,
      json: {
        attributes: updatesProfile(eventName) && (email || phone) ? [{ ...ids, phone, ...profile }] : undefined,
        events: isLegacy ? undefined : [event],
        purchases: isLegacy ? purchases(context, person, time) : undefined,
      },
    }
    if (!external_id || !email || !updatesProfile(eventName)) return eventRequest
    return [
      { ...track, url: track.url.replace(/track$/, 'identify'), json: joinedPerson(external_id, email) },
      eventRequest,
    ]
  },
  batch: { listPath: ['attributes', 'events', 'purchases'], maxEvents: 75, partialFailures: failedRows },

  // Braze dropped the rows in the errors of a 201.
  responseRules: [{ status: 201, path: 'errors.0', verdict: 'refused' }],
})

/** The schema requires a name and a variant. If unknown, the id is used. */
const productOf = ({
  id,
  title,
  variantId,
  quantity = 1,
  item_price = 0,
  sku,
  brand,
  category,
  ...item
}: EventItem) => ({
  product_id: id,
  product_name: title ?? id,
  variant_id: variantId ?? id,
  quantity,
  price: item_price,
  image_url: item.image,
  product_url: item.url,
  metadata: sku || brand || category ? { sku, brand, category } : undefined,
})

/**
 * Merges the user of an order with only an e-mail into the user with the id:
 * https://www.braze.com/docs/api/endpoints/user_data/post_user_identify
 */
const joinedPerson = (external_id: string, email: string) => ({
  emails_to_identify: [{ external_id, email, prioritization: ['unidentified', 'most_recently_updated'] }],
  merge_behavior: 'merge',
})

/** The customer's own id for the cart or the checkout. */
const ownId = (data: EventData, key: string) => (typeof data[key] === 'string' ? data[key] : undefined)

/** The properties of Braze's recommended events. The visit's id replaces an unknown cart id, which the schema requires. */
function shopProperties(name: string, { event, data, items, orderId, value, session }: RequestContext) {
  const visit = session?.sessionId ?? event.eventId
  const products = itemsWithId(items).map(productOf)
  const common = { currency: data.currency, source: originOf(event.pageUrl) ?? 'web', event_id: event.eventId }
  if (name === 'ecommerce.product_viewed') {
    const { quantity: _, ...product } = products[0] ?? { quantity: 1, price: value ?? 0 }
    return { ...product, ...common }
  }
  const order = { ...common, products, total_value: value ?? 0 }
  const cart_id = ownId(data, 'cartId') ?? visit
  const action = event.eventName === 'AddToCart' ? 'add' : 'remove'
  if (name === 'ecommerce.cart_updated') return { ...order, cart_id, action }
  const checkout_id = ownId(data, 'checkoutId') ?? visit
  const metadata = unlessEmpty({ checkout_url: data.checkoutUrl })
  if (name === 'ecommerce.checkout_started') return { ...order, cart_id, checkout_id, metadata }
  const sum = { ...order, order_id: orderId, total_discounts: data.discount }
  if (name === 'ecommerce.order_refunded') return sum
  return { ...sum, tax: data.tax, shipping: data.shipping, discounts: discountsOf(data) }
}

/** The discounts with a known amount. A percentage has one only if it is the order's single discount. */
const discountsOf = ({ discounts = [], discount }: EventData) => {
  const amounts = discounts.flatMap(({ code, type, value }) => {
    const amount = type === 'FLAT' ? value : discounts.length === 1 ? discount : undefined
    return code === undefined || amount === undefined ? [] : [{ code, amount }]
  })
  return amounts.length > 0 ? amounts : undefined
}

/** The properties of any other event. Braze rejects keys that begin with `$`. */
function otherProperties({ event, value }: RequestContext) {
  const own = Object.entries(remainingData(event.data)).filter(([key]) => !key.startsWith('$'))
  const { eventName, pageUrl: page_url, pageTitle: page_title, referrer } = event
  const page = eventName === 'PageView' ? { page_url, page_title, referrer } : {}
  return { ...Object.fromEntries(own), ...page, value, event_id: event.eventId }
}

/** Braze's limit of purchases in one request. A larger order is sent as its total. */
const mostObjects = 75

/** Legacy purchase objects, one for each item, with a quantity of at most 100. */
function purchases({ event, data, items, orderId, value = 0 }: RequestContext, person: object, time: string) {
  const properties = { order_id: data.orderId, event_id: event.eventId }
  const row = { ...person, currency: data.currency, time, properties }
  const bought = wholePieces(itemsWithId(items))
  const total = [{ ...row, product_id: orderId.slice(0, 255), price: value, quantity: 1 }]
  if (bought.length === 0) return total
  const purchased = bought.flatMap(({ id, item_price: price = 0, quantity }) => {
    const rows = Math.min(Math.ceil(quantity / 100), 50)
    return Array.from({ length: rows }, (_, n) => ({
      ...row,
      product_id: id?.slice(0, 255),
      price,
      quantity: Math.min(100, quantity - n * 100),
    }))
  })
  return purchased.length > mostObjects ? total : purchased
}

/** Whether an event updates the profile. Braze charges a data point for each attribute. */
const updatesProfile = (eventName: string): boolean => ['Purchase', 'Subscribe', 'Lead'].includes(eventName)
