import type { Item, TagEvent } from '#contract/event.ts'
import { plain } from '#provider/identity.ts'
import { hundredths } from '#provider/money.ts'
import { emailAddress, type Normalise, phoneE164 } from '#provider/normalise.ts'
import { type Captured, list, provider, type Send, some } from '#provider/provider.ts'
import { decoded, withoutPerson } from '#provider/read.ts'
import { isoTime } from '#provider/time.ts'
import { checkbox, optional, password, text } from '#provider/variables.ts'
import { examples } from './examples/klaviyo.ts'

/** One bad number makes Klaviyo refuse the whole event: E.164 has 8 to 15 digits. */
const fullPhone: Normalise = (raw, person) => /^\+\d{8,15}$/.exec(phoneE164(raw, person) ?? '')?.[0]

/** The id by which a click in an e-mail tells who came; its cookie holds it in base64 JSON (by peers: no page says so). */
const exchangeId = ({ _kx, __kla_id }: Captured) =>
  _kx?.value ??
  (__kla_id && /"\$exchange_id":"([^"]+)"/.exec(Buffer.from(decoded(__kla_id.value), 'base64').toString())?.[1])

// line items as the guide for shop integrations writes them: the flows and blocks that Klaviyo ships read these names
const lineItem = ({ id, sku, title, quantity = 1, item_price, url, image, category, brand }: Item) => ({
  ProductID: id,
  SKU: sku,
  ProductName: title,
  Quantity: quantity,
  ItemPrice: item_price,
  RowTotal: item_price && hundredths(item_price * quantity),
  ProductURL: url,
  ImageURL: image,
  Categories: list(category),
  Brand: brand,
})

/** The one product that was looked at stands at the top of the properties, the one that was added under names of its own. */
function productOf(eventName: string, [item]: readonly Item[]): object {
  if (!item || !['ViewContent', 'AddToCart'].includes(eventName)) return {}
  const { ProductName, ProductID, SKU, Categories, ImageURL, ProductURL: URL, Brand } = lineItem(item)
  const product = { ProductName, ProductID, SKU, Categories, ImageURL, URL, Price: item.item_price }
  if (eventName === 'ViewContent') return { ...product, Brand }
  const added = { ...product, Quantity: item.quantity }
  return Object.fromEntries(Object.entries(added).map(([name, value]) => [`AddedItem${name}`, value]))
}

function propertiesOf({ eventName, data = {}, pageUrl, pageTitle, referrer }: TagEvent): object {
  const { value: _, currency: __, contents, orderId, search, discount, discounts, checkoutUrl, ...rest } = data
  return {
    ...withoutPerson(rest),
    ...productOf(eventName, contents ?? []),
    OrderId: orderId,
    ItemNames: contents?.flatMap(({ title }) => title ?? []),
    Items: contents?.map(lineItem),
    DiscountCode: discounts?.[0]?.code,
    DiscountValue: discount,
    CheckoutURL: checkoutUrl,
    SearchTerm: search,
    PageURL: pageUrl,
    PageTitle: pageTitle,
    Referrer: referrer,
  }
}

type Attributes = { profile: unknown; [name: string]: unknown }
const attributesOf = ({ json }: Send) => (json as { data: { attributes: Attributes } }).data.attributes

const names = {
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

export default provider({
  label: 'Klaviyo',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://developers.klaviyo.com/en/reference/create_event',
  dashboardUrl: 'https://www.klaviyo.com/settings/account/api-keys',
  links: { introduction: 'https://developers.klaviyo.com/en/reference/events_api_overview' },
  host: 'fixed',

  secrets: {
    KLAVIYO_API_KEY: password(
      'Private API key',
      'Settings, API keys, Create private API key, with full access to events.',
      {
        placeholder: 'pk_…',
        helpLink: 'https://help.klaviyo.com/hc/en-us/articles/7423954176283',
      },
    ),
    KLAVIYO_REVISION: text('API revision', 'The date of the API to speak; leave it unless Klaviyo retires this one.', {
      optional: true,
      default: '2026-07-15',
      helpLink: 'https://developers.klaviyo.com/en/docs/api_versioning_and_deprecation_policy',
      check: (date: string) => (/^\d{4}-\d\d-\d\d$/.test(date) ? undefined : 'Write a date: 2026-07-15.'),
    }),
    KLAVIYO_SEND_ORDERED_PRODUCT: checkbox(
      'Send Ordered Product',
      'After Placed Order an event for each product goes along, for flows and segments by product.',
      optional,
    ),
  },

  events: names,
  custom: (eventName) => eventName.slice(0, 128),
  user: {
    email: plain('email', emailAddress),
    phone_number: plain('phone', fullPhone),
    external_id: plain('userId', (raw) => raw.trim().slice(0, 255) || undefined),
    first_name: plain('firstName'),
    last_name: plain('lastName'),
    city: plain('city'),
    region: plain('state'),
    country: plain('country'),
    zip: plain('zip'),
    ip: plain('ip'),
  },
  requires: ['email', 'phone_number', 'external_id', 'captured._kx', 'captured.__kla_id'],
  captures: [{ query: '_kx', cookie: '__kla_id' }],
  dedup: 'unique_id, for one profile and metric',

  request({ event, user, value, captured }, secrets, name) {
    const { city, region, country, zip, ip, ...ids } = user
    const _kx = exchangeId(captured)
    if (!_kx && !ids.email && !ids.phone_number && !ids.external_id) return { skipped: 'identityMissing' }
    const send = (metric: string, unique_id: string, value: number | undefined, properties: object) => ({
      url: 'https://a.klaviyo.com/api/events',
      headers: {
        authorization: `Klaviyo-API-Key ${secrets.KLAVIYO_API_KEY}`,
        revision: secrets.KLAVIYO_REVISION,
        'content-type': 'application/vnd.api+json',
        accept: 'application/vnd.api+json',
      },
      json: {
        data: {
          type: 'event',
          attributes: {
            properties,
            time: isoTime(event.timestamp),
            value,
            value_currency: event.data?.currency,
            unique_id,
            metric: { data: { type: 'metric', attributes: { name: metric } } },
            profile: {
              data: {
                type: 'profile',
                attributes: { ...ids, _kx, location: some({ city, region, country, zip, ip }) },
              },
            },
          },
        },
      },
    })
    const isSplit = event.eventName === 'Purchase' && secrets.KLAVIYO_SEND_ORDERED_PRODUCT === '1'
    const products = isSplit ? (event.data?.contents ?? []).map(lineItem) : []
    return [
      send(name, event.eventId, value, propertiesOf(event)),
      ...products.map((product, i) =>
        send('Ordered Product', `${event.eventId}:${i + 1}`, product.RowTotal, {
          OrderId: event.data?.orderId,
          ...product,
        }),
      ),
    ]
  },

  // many go to an address of their own, which takes each event below its profile
  many: {
    most: 1_000,
    maxBytes: 5_000_000,
    join: (sends) => ({
      ...sends[0]!,
      url: 'https://a.klaviyo.com/api/event-bulk-create-jobs',
      json: {
        data: {
          type: 'event-bulk-create-job',
          attributes: {
            'events-bulk-create': {
              data: sends.map((send) => {
                const { profile, ...attributes } = attributesOf(send)
                const events = { data: [{ type: 'event', attributes }] }
                return { type: 'event-bulk-create', attributes: { profile, events } }
              }),
            },
          },
        },
      },
    }),
  },

  examples,
})
