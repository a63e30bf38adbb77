import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = { KLAVIYO_API_KEY: 'pk_test' }
const known = { user: { email: 'ada@example.com' }, secrets }
const example = exampleLike(known)
const items = {
  ItemNames: ['Runner'],
  Items: [
    {
      ProductID: 'sku-1',
      ProductName: 'Runner',
      Quantity: 2,
      ItemPrice: 29.99,
      RowTotal: 59.98,
      Categories: ['Shoes'],
    },
  ],
}
const product = { ProductName: 'Runner', ProductID: 'sku-1', Categories: ['Shoes'], Price: 29.99 }
const added = {
  AddedItemProductName: 'Runner',
  AddedItemProductID: 'sku-1',
  AddedItemCategories: ['Shoes'],
  AddedItemPrice: 29.99,
  AddedItemQuantity: 2,
}
const names = {
  PageView: 'Active on Site',
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

/** The expected requests; the arguments differ between the examples. */
function sent(name: string, attributes: object, ids: object = { email: 'ada@example.com' }, revision = '2026-07-15') {
  const all = {
    time: '2023-11-14T22:13:20.000Z',
    value: 59.98,
    value_currency: 'EUR',
    unique_id: 'evt-1',
    metric: { data: { type: 'metric', attributes: { name } } },
    profile: { data: { type: 'profile', attributes: ids } },
    ...attributes,
  }
  return {
    url: 'https://a.klaviyo.com/api/events',
    headers: {
      'content-type': 'application/vnd.api+json',
      authorization: 'Klaviyo-API-Key pk_test',
      revision,
      accept: 'application/vnd.api+json',
    },
    body: { data: { type: 'event', attributes: JSON.parse(JSON.stringify(all)) } },
  }
}

function allOfAda() {
  return {
    email: 'ada.lovelace@gmail.com',
    phone_number: '+491701234567',
    external_id: 'customer-1',
    first_name: 'Ada',
    last_name: 'Lovelace',
    location: { city: 'London', region: 'England', country: 'United Kingdom', zip: 'W1A 1AA', ip: '81.2.69.142' },
    _kx: 'abc.XyZ',
  }
}

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  like(sent('Lead', {}), {
    body: {
      data: {
        attributes: {
          value: undefined,
          value_currency: undefined,
          properties: {},
          profile: { data: { attributes: { email: 'ada.lovelace@gmail.com', ...person } } },
        },
      },
    },
  }),
]

export const examples: readonly ProviderExample[] = [
  ...Object.entries(names).map(([eventName, metric]) =>
    example(`${eventName} with the items of the cart`, {
      event: { eventName, data: cart },
      sends: [sent(metric, { properties: items })],
    }),
  ),
  example('a viewed product is at the top of the properties', {
    event: { eventName: 'ViewContent', data: cart },
    sends: [sent('Viewed Product', { properties: { ...product, ...items } })],
  }),
  example('an added product has prefixed fields', {
    event: { eventName: 'AddToCart', data: cart },
    sends: [sent('Added to Cart', { properties: { ...added, ...items } })],
  }),
  example('an order, net, by a person with all keys, and each of its products', {
    event: {
      eventName: 'Purchase',
      pageUrl: 'https://shop.example/thanks',
      data: { ...cart, value: 119, tax: 19, shipping: 4.95, orderId: 'A-1001', gift: true, userEmail: 'x@y.example' },
    },
    user: ada,
    captured: { _kx: 'abc.XyZ' },
    purchaseValueMode: 'net',
    secrets: { KLAVIYO_SEND_ORDERED_PRODUCT: '1', KLAVIYO_REVISION: '2026-01-15' },
    sends: [
      sent(
        'Placed Order',
        {
          properties: {
            tax: 19,
            shipping: 4.95,
            gift: true,
            OrderId: 'A-1001',
            ...items,
            PageURL: 'https://shop.example/thanks',
          },
          value: 95.05,
        },
        allOfAda(),
        '2026-01-15',
      ),
      sent(
        'Ordered Product',
        { properties: { OrderId: 'A-1001', ...items.Items[0] }, unique_id: 'evt-1:1' },
        allOfAda(),
        '2026-01-15',
      ),
    ],
  }),
  example('a custom event identified by the exchange id of the cookie', {
    event: { eventName: 'Quiz finished', data: { score: 7 } },
    captured: { __kla_id: 'eyJjaWQiOiIxMiIsIiRleGNoYW5nZV9pZCI6ImFiYy5YeVoifQ%3D%3D' },
    sends: [
      sent(
        'Quiz finished',
        { properties: { score: 7 }, value: undefined, value_currency: undefined },
        { _kx: 'abc.XyZ' },
      ),
    ],
    user: undefined,
  }),
  example('an invalid phone number is omitted and identifies nobody', {
    event: { eventName: 'PageView' },
    user: { phone: '12345' },
    captured: { __kla_id: 'eyJjaWQiOiIxIn0=' },
    sends: { skipped: 'identityMissing' },
  }),
  example('what became known of a person', {
    kind: 'user',
    event: { eventName: 'user', data: { tier: 'gold' } },
    user: ada,
    custom: { tier: 'gold', note: 'not mapped' },
    secrets: { KLAVIYO_TRAITS: '[["tier", "Tier"]]' },
    sends: [
      {
        url: 'https://a.klaviyo.com/api/profile-import',
        headers: {
          authorization: 'Klaviyo-API-Key pk_test',
          revision: '2026-07-15',
          'content-type': 'application/vnd.api+json',
          accept: 'application/vnd.api+json',
        },
        body: {
          data: {
            type: 'profile',
            attributes: {
              email: 'ada.lovelace@gmail.com',
              phone_number: '+491701234567',
              external_id: 'customer-1',
              first_name: 'Ada',
              last_name: 'Lovelace',
              location: {
                city: 'London',
                region: 'England',
                country: 'United Kingdom',
                zip: 'W1A 1AA',
                ip: '81.2.69.142',
              },
              properties: { Tier: 'gold' },
            },
          },
        },
      },
    ],
  }),
  example('what is not mapped is not sent', {
    kind: 'user',
    event: { eventName: 'user', data: { tier: 'gold' } },
    user: { email: 'ada@example.com' },
    custom: { tier: 'gold' },
    sends: { skipped: 'filtered' },
  }),
  example('Subscribe adds the person to what the customer set', {
    event: { eventName: 'Subscribe' },
    user: { email: 'ada@example.com' },
    secrets: { KLAVIYO_LIST_ID: 'Y6nRLr' },
    replies: [{ status: 202 }],
    sends: [
      {
        url: 'https://a.klaviyo.com/api/profile-subscription-bulk-create-jobs',
        headers: {
          'content-type': 'application/vnd.api+json',
          authorization: 'Klaviyo-API-Key pk_test',
          revision: '2026-07-15',
          accept: 'application/vnd.api+json',
        },
        body: {
          data: {
            type: 'profile-subscription-bulk-create-job',
            attributes: {
              profiles: {
                data: [
                  {
                    type: 'profile',
                    attributes: {
                      email: 'ada@example.com',
                      subscriptions: { email: { marketing: { consent: 'SUBSCRIBED' } } },
                    },
                  },
                ],
              },
            },
            relationships: { list: { data: { type: 'list', id: 'Y6nRLr' } } },
          },
        },
      },
      sent('Subscribed', { properties: {}, value: undefined, value_currency: undefined }),
    ],
  }),
  example('Subscribe adds nobody who refused advertising', {
    event: { eventName: 'Subscribe' },
    user: { email: 'ada@example.com' },
    consent: { advertising: 'denied' },
    secrets: { KLAVIYO_LIST_ID: 'Y6nRLr' },
    sends: [sent('Subscribed', { properties: {}, value: undefined, value_currency: undefined })],
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    {
      visitor: { skipped: 'identityMissing' },
      email: sentForPerson({}),
      customer: sentForPerson({ external_id: 'customer-1' }),
    },
  ),
]
