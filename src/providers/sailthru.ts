import { createHash } from 'node:crypto'
import { remainingData } from '#provider/form/eventData.ts'
import { wholeQuantity } from '#provider/form/items.ts'
import { minorUnits } from '#provider/form/money.ts'
import { emailAddress } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { isoTime } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { identifier, password } from '#provider/form/variables.ts'

/** MD5 of the secret and the sorted values of the other fields: Sailthru supports no other signature. */
const signature = (secret: string, fields: object) =>
  createHash('md5')
    .update(secret + Object.values(fields).sort().join(''))
    .digest('hex')

const { PageView: _, ...names } = standardEventNames

export default provider({
  label: 'Sailthru',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://getstarted.meetmarigold.com/engagebysailthru/Content/developers/api/purchase.html',
  dashboardUrl: 'https://my.sailthru.com/settings/api_postbacks',
  links: { onboarding: 'https://products.zetaglobal.com/sailthru/Content/developers/api-basics/technical.html' },
  host: 'fixed',

  secrets: {
    SAILTHRU_API_KEY: identifier('API key', 'Settings, Setup, API & Postbacks.'),
    SAILTHRU_API_SECRET: password('API secret', 'Below the API key. Requests are signed with it; it is not sent.'),
  },

  // Sailthru expects the whole cart, which RemoveFromCart lacks: it is sent as a custom event.
  events: { ...names, AddToCart: 'purchase', Purchase: 'purchase', Refund: 'return' },
  customEventName: (eventName) => eventName,
  user: { email: plain('email', emailAddress) },
  personId: 'none',
  // An order with only an e-mail: the e-mail is the key of the profile.
  requires: ['email'],
  captures: [{ cookie: 'sailthru_bid' }],
  matchKeys: {
    strong: ['email'],
    medium: ['captured.sailthru_bid'],
  },
  dedup: 'none; purchase_keys.extid identifies an order, vars.event_id an event',

  request({ event, data, items: all, user: { email }, value, captured }, secrets, name) {
    const { orderId: extid, currency } = data
    const incomplete = event.eventName === 'Purchase' ? 0 : 1
    // Prices are in cents. The page's URL replaces an item's missing URL.
    const items = all.map(({ id, title, item_price = 0, url = event.pageUrl, image, ...item }) => ({
      id,
      title: title ?? id,
      price: minorUnits(item_price),
      qty: wholeQuantity(item),
      url,
      images: image ? { full: { url: image } } : undefined,
      vars: { category: item.category, brand: item.brand, variant: item.variantId },
    }))
    const sum = items.reduce((total, { price, qty }) => total + price * qty, 0)
    // There is no field for the total: the difference from the sum of the items is sent as an adjustment.
    const rest = value === undefined || incomplete ? 0 : minorUnits(value) - sum
    const bodies: Readonly<Record<string, object>> = {
      purchase: {
        email,
        items,
        incomplete,
        date: isoTime(event.timestamp),
        message_id: captured.sailthru_bid?.value,
        purchase_keys: extid === undefined ? undefined : { extid },
        adjustments: rest === 0 ? undefined : [{ title: 'Discounts, shipping and tax', price: rest }],
        vars: { currency, event_id: event.eventId },
      },
      return: { email, items: items.map(({ id, price, qty, url }) => ({ id, price, qty, url, order_id: extid })) },
      event: { id: email, event: event.eventName, vars: { ...remainingData(data), value, event_id: event.eventId } },
    }
    // A purchase or return without items is sent as an event.
    const path = items.length > 0 && (name === 'purchase' || name === 'return') ? name : 'event'
    const fields = { api_key: secrets.SAILTHRU_API_KEY, format: 'json', json: JSON.stringify(bodies[path]) }
    const sig = signature(secrets.SAILTHRU_API_SECRET, fields)
    return { url: `https://api.sailthru.com/${path}`, form: { ...fields, sig } }
  },

  // Errors come with any status, even 200. All codes except 43 are from public implementations.
  responseRules: [
    { path: 'error', equalsAny: [43], verdict: 'throttled' },
    { path: 'error', equalsAny: [9], verdict: 'retry' },
    { path: 'error', equalsAny: [3, 5], verdict: 'keyRejected' },
    { path: 'error', verdict: 'refused' },
  ],
})
