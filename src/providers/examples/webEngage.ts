import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = { WEBENGAGE_LICENSE_CODE: '11b5648a7', WEBENGAGE_API_KEY: 'we-key' }
const known = { user: { customerId: 'customer-1', email: 'ada@example.com' }, secrets }
const example = exampleLike(known)
const product = {
  'Product Id': 'sku-1',
  'Product Name': 'Runner',
  Category: 'Shoes',
  Variant: 'red',
  Price: 29.99,
  Quantity: 2,
}
const order = { Total: 59.98, Currency: 'EUR', Products: [product] }
const names = {
  ViewContent: 'Product Viewed',
  AddToCart: 'Added To Cart',
  RemoveFromCart: 'Removed From Cart',
  InitiateCheckout: 'Checkout Started',
  AddShippingInfo: 'Shipping Info Added',
  AddPaymentInfo: 'Payment Info Added',
  Purchase: 'Checkout Completed',
  Subscribe: 'Subscribed',
  Search: 'Searched',
  Lead: 'Lead',
}

const sent = (path: string, body: object, host = 'api.webengage.com') => ({
  url: `https://${host}/v1/accounts/11b5648a7/${path}`,
  headers: { 'content-type': 'application/json', authorization: 'Bearer we-key' },
  body,
})
const event = (eventName: string, eventData: object, person: object = { userId: 'customer-1' }) => ({
  ...person,
  eventName,
  eventTime: '2023-11-14T22:13:20+0000',
  eventData,
})

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  {
    url: 'https://api.webengage.com/v1/accounts/11b5648a7/events',
    headers: { 'content-type': 'application/json', authorization: 'Bearer we-key' },
    body: { eventName: 'Lead', eventTime: '2023-11-14T22:13:20+0000', eventData: {}, ...person },
  },
]

export const examples: readonly ProviderExample[] = [
  ...Object.entries(names).map(([eventName, name]) =>
    example(`${eventName} with the items of the cart`, {
      event: { eventName, data: cart },
      sends: [sent('events', event(name, order))],
    }),
  ),
  example('an order, net, by a person with all keys, in India', {
    event: {
      eventName: 'Purchase',
      pageUrl: 'https://shop.example/thanks',
      data: { ...cart, value: 119, tax: 19, shipping: 4.95, orderId: 'A-1001', gift: true, we_own: 1 },
    },
    user: ada,
    purchaseValueMode: 'net',
    secrets: { WEBENGAGE_DATA_CENTER: 'in' },
    sends: [
      sent(
        'events',
        event('Checkout Completed', {
          'Order Id': 'A-1001',
          Total: 95.05,
          Currency: 'EUR',
          Tax: 19,
          Shipping: 4.95,
          Products: [product],
          'Page URL': 'https://shop.example/thanks',
          gift: true,
        }),
        'api.in.webengage.com',
      ),
    ],
  }),
  example('an order in yen', {
    event: { eventName: 'Purchase', data: { value: 1250, currency: 'JPY', orderId: 'A-1002' } },
    sends: [sent('events', event('Checkout Completed', { 'Order Id': 'A-1002', Total: 1250, Currency: 'JPY' }))],
  }),
  example('a custom event: its name is cut', {
    event: { eventName: `Quiz ${'x'.repeat(60)}`, data: { score: 7 } },
    sends: [sent('events', event(`Quiz ${'x'.repeat(45)}`, { score: 7 }))],
  }),
  example('a custom event with a name that the vendor reserves', {
    event: { eventName: 'we_quiz' },
    sends: { skipped: 'eventNotSupported' },
  }),
  example('what became known of a person', {
    kind: 'user',
    event: { eventName: 'user', data: { favourite: 'blue' } },
    user: ada,
    sends: [
      sent('users', {
        userId: 'customer-1',
        email: 'ada.lovelace@gmail.com',
        phone: '+491701234567',
        firstName: 'Ada',
        lastName: 'Lovelace',
        gender: 'female',
        city: 'London',
        region: 'England',
        country: 'United Kingdom',
        postalCode: 'W1A 1AA',
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
      visitor: sentForPerson({ anonymousId: 'usr_1' }),
      email: sentForPerson({ anonymousId: 'usr_1' }),
      customer: sentForPerson({ userId: 'customer-1' }),
    },
  ),
]
