import { createHash } from 'node:crypto'
import type { Item, TagEvent } from '#contract/event.ts'
import { ada, cart } from '#provider/examples.ts'
import { plain } from '#provider/identity.ts'
import { minorUnits } from '#provider/money.ts'
import { emailAddress } from '#provider/normalise.ts'
import { provider } from '#provider/provider.ts'
import { withoutPerson } from '#provider/read.ts'
import { isoTime } from '#provider/time.ts'
import { identifier, password } from '#provider/variables.ts'

/** MD5 of the secret and the values of the other fields, sorted: the vendor knows no other signature. */
const signature = (secret: string, fields: object) =>
  createHash('md5')
    .update(secret + Object.values(fields).sort().join(''))
    .digest('hex')

/** Prices are whole cents. An item without an address of its own stands under that of the page. */
const itemsOf = ({ data, pageUrl }: TagEvent) =>
  data?.contents?.map(({ id, title, item_price = 0, quantity = 1, url = pageUrl, image, ...item }: Item) => ({
    id,
    title: title ?? id,
    price: minorUnits(item_price),
    qty: quantity,
    url,
    images: image ? { full: { url: image } } : undefined,
    vars: { category: item.category, brand: item.brand, variant: item.variantId },
  })) ?? []

type Bought = { items: ReturnType<typeof itemsOf>; value: number | undefined; bid: string | undefined }

/** There is no field for the total: what the items do not add up to (discounts, shipping, tax) is one adjustment. */
function purchase(email: string, event: TagEvent, incomplete: 0 | 1, { items, value, bid }: Bought) {
  const { orderId, currency } = event.data ?? {}
  const rest = value === undefined ? 0 : minorUnits(value) - items.reduce((sum, { price, qty }) => sum + price * qty, 0)
  return {
    email,
    items,
    incomplete,
    date: isoTime(event.timestamp),
    message_id: bid,
    purchase_keys: orderId === undefined ? undefined : { extid: orderId },
    adjustments: rest === 0 || incomplete ? undefined : [{ title: 'Discounts, shipping and tax', price: rest }],
    vars: { currency, event_id: event.eventId },
  }
}

const refund = (email: string, { data }: TagEvent, items: Bought['items']) => ({
  email,
  items: items.map(({ id, price, qty, url }) => ({ id, price, qty, url, order_id: data?.orderId })),
})

const names = {
  ViewContent: 'ViewContent',
  // the whole cart is not known when one thing leaves it, so it cannot replace the cart that is kept
  RemoveFromCart: 'RemoveFromCart',
  InitiateCheckout: 'InitiateCheckout',
  AddShippingInfo: 'AddShippingInfo',
  AddPaymentInfo: 'AddPaymentInfo',
  Subscribe: 'Subscribe',
  Search: 'Search',
  Lead: 'Lead',
}
const secrets = { SAILTHRU_API_KEY: 'key', SAILTHRU_API_SECRET: 'secret' }
const known = { user: ada, secrets }

export default provider({
  label: 'Sailthru',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://getstarted.meetmarigold.com/engagebysailthru/Content/developers/api/purchase.html',
  dashboardUrl: 'https://my.sailthru.com/settings/api_postbacks',
  host: 'fixed',

  secrets: {
    SAILTHRU_API_KEY: identifier('API key', 'Settings, Setup, API & Postbacks.'),
    SAILTHRU_API_SECRET: password('API secret', 'Below the API key. Requests are signed with it; it is not sent.'),
  },

  events: { ...names, AddToCart: 'purchase', Purchase: 'purchase', Refund: 'return' },
  custom: (eventName) => eventName,
  user: { email: plain('email', emailAddress) },
  requires: ['email'],
  captures: [{ cookie: 'sailthru_bid' }],
  dedup: 'none; an order can be found again by purchase_keys.extid, an event by vars.event_id',

  request({ event, user, value, captured }, { SAILTHRU_API_KEY: api_key, SAILTHRU_API_SECRET }, name) {
    const email = user.email!
    const items = itemsOf(event)
    const asked = () => {
      if (name === 'purchase' && items.length > 0) {
        const incomplete = event.eventName === 'Purchase' ? 0 : 1
        return {
          path: name,
          json: purchase(email, event, incomplete, { items, value, bid: captured.sailthru_bid?.value }),
        }
      }
      if (name === 'return' && items.length > 0) return { path: name, json: refund(email, event, items) }
      const vars = { ...withoutPerson(event.data), value, event_id: event.eventId }
      // what was bought is not said: an event at least
      return { path: 'event', json: { id: email, event: event.eventName, vars } }
    }
    const { path, json } = asked()
    const fields = { api_key, format: 'json', json: JSON.stringify(json) }
    return { url: `https://api.sailthru.com/${path}`, form: { ...fields, sig: signature(SAILTHRU_API_SECRET, fields) } }
  },

  // errors come with any status, also 200; the numbers but 43 are those of peers
  answers: [
    { at: 'error', in: [43], is: 'throttled' },
    { at: 'error', in: [9], is: 'again' },
    { at: 'error', in: [3, 5], is: 'keyRejected' },
    { at: 'error', is: 'refused' },
  ],

  examples: [
    ...Object.entries(names).map(([eventName]) => ({
      title: `${eventName} as an event`,
      event: { eventName, data: { value: 10, currency: 'EUR', userPhone: '+491701234567' } },
      ...known,
      sends: sent('event', {
        id: 'ada.lovelace@gmail.com',
        event: eventName,
        vars: { value: 10, currency: 'EUR', event_id: 'evt-1' },
      }),
    })),
    {
      title: 'what is put in the cart is a purchase that is not complete',
      event: { eventName: 'AddToCart', pageUrl: 'https://shop.example/runner', data: cart },
      ...known,
      sends: sent('purchase', bought({ incomplete: 1, vars: { currency: 'EUR', event_id: 'evt-1' } })),
    },
    {
      title: 'a purchase from a mail, with shipping',
      event: {
        eventName: 'Purchase',
        pageUrl: 'https://shop.example/runner',
        data: { ...cart, value: 64.93, orderId: 'A-1001' },
      },
      captured: { sailthru_bid: '23423.231' },
      ...known,
      sends: sent(
        'purchase',
        bought({
          incomplete: 0,
          message_id: '23423.231',
          purchase_keys: { extid: 'A-1001' },
          adjustments: [{ title: 'Discounts, shipping and tax', price: 495 }],
          vars: { currency: 'EUR', event_id: 'evt-1' },
        }),
      ),
    },
    {
      title: 'a refund is a return',
      event: { eventName: 'Refund', pageUrl: 'https://shop.example/runner', data: { ...cart, orderId: 'A-1001' } },
      ...known,
      sends: sent('return', {
        email: 'ada.lovelace@gmail.com',
        items: [{ id: 'sku-1', price: 2999, qty: 2, url: 'https://shop.example/runner', order_id: 'A-1001' }],
      }),
    },
    {
      title: 'a custom event',
      event: { eventName: 'Quiz finished', data: { score: 7 } },
      ...known,
      sends: sent('event', {
        id: 'ada.lovelace@gmail.com',
        event: 'Quiz finished',
        vars: { score: 7, event_id: 'evt-1' },
      }),
    },
    {
      title: 'without an e-mail there is nobody to tell of',
      event: { eventName: 'Lead' },
      user: { userId: 'usr_1' },
      secrets,
      sends: { skipped: 'identityMissing' },
    },
  ],
})

function bought(more: { incomplete: number; vars: object; [key: string]: unknown }) {
  const { incomplete, vars, ...rest } = more
  const item = {
    id: 'sku-1',
    title: 'Runner',
    price: 2999,
    qty: 2,
    url: 'https://shop.example/runner',
    vars: { category: 'Shoes', variant: 'red' },
  }
  return { email: 'ada.lovelace@gmail.com', items: [item], incomplete, date: '2023-11-14T22:13:20.000Z', ...rest, vars }
}

/** What goes to Sailthru: the examples say only what is in the JSON text. */
function sent(path: string, value: object) {
  const json = JSON.stringify(value)
  const sig = createHash('md5')
    .update(`secret${['json', 'key', json].sort().join('')}`)
    .digest('hex')
  return [
    {
      url: `https://api.sailthru.com/${path}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: { api_key: 'key', format: 'json', json, sig },
    },
  ]
}
