import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = { CLEVERTAP_ACCOUNT_ID: 'ZWW-WWW-WWRZ', CLEVERTAP_PASSCODE: 'ct-pass' }
const known = { user: { customerId: 'customer-1', email: 'ada@example.com' }, secrets }
const example = exampleLike(known)
const product = { 'Product ID': 'sku-1', Name: 'Runner', Category: 'Shoes', Price: 29.99, Quantity: 2 }
const money = { Amount: 59.98, Currency: 'EUR' }
const names = {
  PageView: 'Page Viewed',
  ViewContent: 'Product Viewed',
  AddToCart: 'Added To Cart',
  RemoveFromCart: 'Removed From Cart',
  InitiateCheckout: 'Checkout Started',
  AddShippingInfo: 'Shipping Info Added',
  AddPaymentInfo: 'Payment Info Added',
  Subscribe: 'Subscribed',
  Search: 'Searched',
  Lead: 'Lead',
}

const upload = (row: object, host = 'api.clevertap.com') => ({
  url: `https://${host}/1/upload`,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'x-clevertap-account-id': 'ZWW-WWW-WWRZ',
    'x-clevertap-passcode': 'ct-pass',
  },
  body: { d: [row] },
})
const event = (evtName: string, evtData: object, identity = 'customer-1') => ({
  type: 'event',
  identity,
  ts: 1_700_000_000,
  evtName,
  evtData,
})

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  {
    url: 'https://api.clevertap.com/1/upload',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'x-clevertap-account-id': 'ZWW-WWW-WWRZ',
      'x-clevertap-passcode': 'ct-pass',
    },
    body: { d: [{ type: 'event', ts: 1700000000, evtName: 'Lead', evtData: {}, ...person }] },
  },
]

export const examples: readonly ProviderExample[] = [
  ...Object.entries(names).map(([eventName, name]) =>
    example(`${eventName} with the first item, flat`, {
      event: { eventName, data: { ...cart, search: 'shoes', own: { nested: 1 }, contents: [...cart.contents, {}] } },
      sends: [upload(event(name, { ...money, Search: 'shoes', ...product, 'Variant ID': 'red' }))],
    }),
  ),
  example('an order, net, by a person with all keys, in India', {
    event: {
      eventName: 'Purchase',
      pageUrl: 'https://shop.example/thanks',
      data: {
        ...cart,
        value: 119,
        tax: 19,
        shipping: 4.95,
        orderId: 'A-1001',
        gift: true,
        discounts: [{ code: 'TEN' }],
      },
    },
    user: ada,
    purchaseValueMode: 'net',
    secrets: { CLEVERTAP_REGION: 'in1' },
    sends: [
      upload(
        event('Charged', {
          Amount: 95.05,
          Currency: 'EUR',
          'Charged ID': 'A-1001',
          Tax: 19,
          Shipping: 4.95,
          Coupon: 'TEN',
          'Page URL': 'https://shop.example/thanks',
          gift: true,
          Items: [{ ...product, 'Variant ID': 'red' }],
        }),
        'in1.api.clevertap.com',
      ),
    ],
  }),
  example('an order in yen by someone known by e-mail only', {
    event: { eventName: 'Purchase', data: { value: 1250, currency: 'JPY', orderId: 'A-1002' } },
    user: { email: 'Ada@example.com' },
    sends: [upload(event('Charged', { Amount: 1250, Currency: 'JPY', 'Charged ID': 'A-1002' }, 'ada@example.com'))],
  }),
  example('a custom event of a later time than now has the time of now', {
    event: { eventName: 'Quiz finished', timestamp: 1_700_000_900_000, data: { score: 7 } },
    sends: [upload({ ...event('Quiz finished', { score: 7 }), ts: 1_700_000_001 })],
  }),
  example('what became known of a person', {
    kind: 'user',
    event: { eventName: 'user', data: { favourite: 'blue' } },
    user: ada,
    sends: [
      upload({
        type: 'profile',
        identity: 'customer-1',
        ts: 1_700_000_000,
        profileData: { Name: 'Ada Lovelace', Email: 'ada.lovelace@gmail.com', Phone: '+491701234567', Gender: 'F' },
      }),
    ],
  }),
  example('nothing became known of a person that has a field', {
    kind: 'user',
    event: { eventName: 'user', data: { favourite: 'blue' } },
    user: { customerId: 'customer-1' },
    sends: { skipped: 'filtered' },
  }),
  example('a phone number identifies nobody', {
    event: { eventName: 'Lead' },
    user: { phone: '+49 170 1234567' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    {
      visitor: { skipped: 'identityMissing' },
      email: sentForPerson({ identity: 'ada.lovelace@gmail.com' }),
      customer: sentForPerson({ identity: 'customer-1' }),
    },
  ),
]
