import type { Item, TagEvent } from '#contract/event.ts'
import { plain } from '#provider/identity.ts'
import { countryCode, emailAddress, phoneE164 } from '#provider/normalise.ts'
import { provider, type Send } from '#provider/provider.ts'
import { originOf, withoutPerson } from '#provider/read.ts'
import { isoTime } from '#provider/time.ts'
import { addressCheck, checkbox, identifier, listed, optional, password, text } from '#provider/variables.ts'
import { examples } from './examples/braze.ts'

/** The schemas ask for a name and a variant of each product: its id stands for what is not known. */
const productOf = ({ id, title, variantId, quantity = 1, item_price = 0, ...item }: Item) => ({
  product_id: id,
  product_name: title ?? id,
  variant_id: variantId ?? id,
  quantity,
  price: item_price,
  image_url: item.image,
  product_url: item.url,
  metadata:
    item.sku || item.brand || item.category ? { sku: item.sku, brand: item.brand, category: item.category } : undefined,
})

/** A name of the customer's for the cart or the checkout, else the person's id: the schemas ask for one. */
const ownId = (data: TagEvent['data'], key: string, otherwise: string) =>
  typeof data?.[key] === 'string' ? data[key] : otherwise

const cartActions: Readonly<Record<string, string>> = { AddToCart: 'add', RemoveFromCart: 'remove' }

/** The properties of a recommended event, checked by the vendor against the schema of its name. */
function shopProperties(name: string, event: TagEvent, value: number | undefined, personId: string) {
  const { data = {}, eventId } = event
  const products = data.contents?.filter(({ id }) => id).map(productOf) ?? []
  const common = { currency: data.currency, source: originOf(event.pageUrl) ?? 'web', event_id: eventId }
  if (name === 'ecommerce.product_viewed') {
    const { quantity: _, ...product } = products[0] ?? { quantity: 1, price: value ?? 0 }
    return { ...product, ...common }
  }
  const order = { ...common, products, total_value: value ?? 0 }
  const cart_id = ownId(data, 'cartId', personId)
  if (name === 'ecommerce.cart_updated') return { ...order, cart_id, action: cartActions[event.eventName] }
  if (name === 'ecommerce.checkout_started')
    return { ...order, cart_id, checkout_id: ownId(data, 'checkoutId', personId) }
  return { ...order, order_id: data.orderId ?? eventId, total_discounts: data.discount }
}

/** Keys must not begin with `$`. The page of an event belongs to it. */
function ownProperties(
  { data, eventId, eventName, pageUrl, pageTitle, referrer }: TagEvent,
  value: number | undefined,
) {
  const own = Object.entries(withoutPerson(data)).filter(([key]) => !key.startsWith('$'))
  const page = eventName === 'PageView' ? { page_url: pageUrl, page_title: pageTitle, referrer } : {}
  return { ...Object.fromEntries(own), ...page, value, event_id: eventId }
}

/** A row for each item; the vendor takes at most a hundred of a thing in one. */
function purchases(person: object, { data = {}, eventId }: TagEvent, value = 0, time: string) {
  const properties = { order_id: data.orderId, event_id: eventId }
  const row = { ...person, currency: data.currency, time, properties }
  const items = data.contents?.filter(({ id }) => id) ?? []
  if (items.length === 0) return [{ ...row, product_id: data.orderId ?? eventId, price: value, quantity: 1 }]
  return items.flatMap(({ id, item_price: price = 0, quantity = 1 }) => {
    const rows = Math.min(Math.max(1, Math.ceil(quantity / 100)), 50)
    return Array.from({ length: rows }, (_, n) => ({
      ...row,
      product_id: id?.slice(0, 255),
      price,
      quantity: Math.min(100, Math.max(1, Math.round(quantity) - n * 100)),
    }))
  })
}

type Track = { attributes?: object[]; events?: object[]; purchases?: object[] }
const trackOf = ({ json }: Send) => json as Track

const names = {
  PageView: 'PageView',
  ViewContent: 'ecommerce.product_viewed',
  AddToCart: 'ecommerce.cart_updated',
  RemoveFromCart: 'ecommerce.cart_updated',
  InitiateCheckout: 'ecommerce.checkout_started',
  AddShippingInfo: 'AddShippingInfo',
  AddPaymentInfo: 'AddPaymentInfo',
  Purchase: 'ecommerce.order_placed',
  Refund: 'ecommerce.order_refunded',
  Subscribe: 'Subscribe',
  Search: 'Search',
  Lead: 'Lead',
}
/** When a person tells who it is. Each attribute that is sent costs a data point, so it goes with no other event. */
const telling = new Set(['Purchase', 'Subscribe', 'Lead'])

export default provider({
  label: 'Braze',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://www.braze.com/docs/api/endpoints/user_data/post_user_track',
  dashboardUrl: 'https://dashboard.braze.com/app_settings/developer_console',
  host: 'customer',

  secrets: {
    BRAZE_API_KEY: password(
      'REST API key',
      'Settings, APIs and Identifiers, API Keys: one with the permission users.track.',
    ),
    BRAZE_REST_ENDPOINT: text(
      'REST endpoint',
      'Of your instance: Settings, APIs and Identifiers, below the API keys.',
      {
        placeholder: 'https://rest.iad-01.braze.com',
        helpLink: 'https://www.braze.com/docs/api/basics',
        check: addressCheck,
      },
    ),
    BRAZE_EVENT_PREFIX: text('Prefix', 'Put before the name of each custom event.', optional),
    BRAZE_EXCLUDED_EVENTS: text('Excluded events', 'Names of events that are not sent, divided by commas.', optional),
    BRAZE_APP_ID: identifier('App identifier', 'Settings, App Settings: the API key of the app.', optional),
    BRAZE_USE_PURCHASE_EVENTS: checkbox(
      'Legacy purchases',
      'Purchase goes as purchase objects. New customers of Braze cannot use them.',
      optional,
    ),
  },

  events: names,
  custom: (eventName) => eventName,
  user: {
    external_id: plain('userId'),
    email: plain('email', emailAddress),
    phone: plain('phone', phoneE164),
    first_name: plain('firstName'),
    last_name: plain('lastName'),
    country: plain('country', countryCode),
  },
  requires: ['external_id', 'email', 'phone'],
  dedup: 'none: a repeat is a second event; properties.event_id tells',

  request({ event, user, value }, secrets, name) {
    const { eventName, timestamp, eventId } = event
    if (listed(secrets.BRAZE_EXCLUDED_EVENTS).includes(eventName)) return { skipped: 'filtered' }
    const { external_id, email, phone, ...profile } = user
    const who = { external_id, email, phone: email ? undefined : phone }
    const person = { ...who, app_id: secrets.BRAZE_APP_ID }
    const time = isoTime(timestamp)
    const isLegacy = eventName === 'Purchase' && secrets.BRAZE_USE_PURCHASE_EVENTS === '1'
    const isOwn = !Object.hasOwn(names, eventName)
    const properties =
      name.startsWith('ecommerce.') && !isOwn
        ? shopProperties(name, event, value, external_id ?? eventId)
        : ownProperties(event, value)
    return {
      url: `${secrets.BRAZE_REST_ENDPOINT.replace(/\/+$/, '')}/users/track`,
      headers: { authorization: `Bearer ${secrets.BRAZE_API_KEY}` },
      json: {
        attributes: telling.has(eventName) && (email || phone) ? [{ ...who, phone, ...profile }] : undefined,
        events: isLegacy
          ? undefined
          : [{ ...person, name: isOwn ? (secrets.BRAZE_EVENT_PREFIX ?? '') + name : name, time, properties }],
        purchases: isLegacy ? purchases(person, event, value, time) : undefined,
      },
    }
  },
  many: {
    most: 75,
    count: (send) => Object.values(trackOf(send)).flat().filter(Boolean).length,
    join: (sends) => ({
      ...sends[0]!,
      json: Object.fromEntries(
        (['attributes', 'events', 'purchases'] as const)
          .map((kind) => [kind, sends.flatMap((send) => trackOf(send)[kind] ?? [])] as const)
          .filter(([, rows]) => rows.length > 0),
      ),
    }),
  },

  // a 201 that names errors has dropped what they name
  answers: [{ status: 201, at: 'errors.0', is: 'refused' }],

  examples,
})
