import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const project = 'https://api.exponea.com/track/v2/projects/00000000-0000-4000-8000-000000000001'
const secrets = {
  BLOOMREACH_API_BASE_URL: 'https://api.exponea.com',
  BLOOMREACH_PROJECT_TOKEN: '00000000-0000-4000-8000-000000000001',
  BLOOMREACH_API_KEY_ID: 'key-id',
  BLOOMREACH_API_SECRET: 'api-secret',
}
const known = { user: { email: ' Ada@Example.com', customerId: 'customer-1' }, secrets }
const example = exampleLike(known)
const cookie = 'd218dfa8-37eb-4cd1-aec0-421ad6ccc5c9'
const headers = {
  'content-type': 'application/json',
  authorization: `Basic ${Buffer.from('key-id:api-secret').toString('base64')}`,
  accept: 'application/json',
}
const product = {
  product_id: 'sku-1',
  title: 'Runner',
  variant_id: 'red',
  category: 'Shoes',
  price: 29.99,
  quantity: 2,
}
const cartFields = {
  total_price: 59.98,
  local_currency: 'EUR',
  event_id: 'evt-1',
  total_quantity: 2,
  product_ids: ['sku-1'],
  product_list: [{ product_id: 'sku-1', quantity: 2 }],
}
const ada1 = { registered: 'ada@example.com' }

const event = (event_type: string, properties: object, customer_ids: object = ada1) => ({
  customer_ids,
  event_type,
  timestamp: 1_700_000_000,
  properties,
})
const sent = (...args: Parameters<typeof event>) => ({
  url: `${project}/customers/events`,
  headers,
  body: event(...args),
})

const cases: [string, string, object][] = [
  ['PageView', 'page_visit', {}],
  ['ViewContent', 'view_item', product],
  ['AddToCart', 'cart_update', { action: 'add' }],
  ['RemoveFromCart', 'cart_update', { action: 'remove' }],
  ['InitiateCheckout', 'checkout', { step_number: 1, step_title: 'checkout' }],
  ['AddShippingInfo', 'checkout', { step_number: 2, step_title: 'shipping' }],
  ['AddPaymentInfo', 'checkout', { step_number: 3, step_title: 'payment' }],
  ['Subscribe', 'subscribe', {}],
  ['Search', 'search', {}],
  ['Lead', 'lead', {}],
]

/** The requests, the same for each of the three people. */
const sentForPerson = [
  like(sent('lead', {}), {
    body: { customer_ids: { registered: 'ada.lovelace@gmail.com' }, properties: { event_id: 'evt-1' } },
  }),
]

export const examples: readonly ProviderExample[] = [
  ...cases.map(([eventName, type, properties]) =>
    example(`${eventName} of a known customer`, {
      event: { eventName, data: cart },
      sends: [sent(type, { ...properties, ...cartFields })],
    }),
  ),
  example('an order, then each of its products', {
    event: {
      eventName: 'Purchase',
      pageUrl: 'https://shop.example/thanks',
      data: { ...cart, orderId: 'A-1001', discounts: [{ code: 'SPRING' }], gift: true, userEmail: 'x@y.example' },
    },
    captured: { __exponea_etc__: cookie, xnpe_cmp: 'abc.def' },
    replies: [{ status: 200, json: { success: true, errors: [] } }],
    sends: [
      sent(
        'purchase',
        {
          purchase_status: 'success',
          purchase_id: 'A-1001',
          ...cartFields,
          voucher_code: 'SPRING',
          location: 'https://shop.example/thanks',
          gift: true,
          xnpe_cmp: 'abc.def',
        },
        { cookie, ...ada1 },
      ),
      {
        url: `${project}/batch`,
        headers,
        body: {
          commands: [
            {
              name: 'customers/events',
              command_id: '0',
              data: event(
                'purchase_item',
                {
                  ...product,
                  purchase_id: 'A-1001',
                  purchase_status: 'success',
                  total_price: 59.98,
                  local_currency: 'EUR',
                  event_id: 'evt-1',
                },
                { cookie, ...ada1 },
              ),
            },
          ],
        },
      },
    ],
  }),
  example('an order in yen, net, of another instance, with ids of other names', {
    event: { eventName: 'Purchase', data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-1001' } },
    purchaseValueMode: 'net',
    captured: { __exponea_etc__: cookie },
    secrets: {
      BLOOMREACH_API_BASE_URL: 'https://api-eu1.exponea.com/',
      BLOOMREACH_HARD_ID: 'customer_id',
      BLOOMREACH_HARD_ID_VALUE: 'customerId',
      BLOOMREACH_SOFT_ID: 'web_cookie',
    },
    sends: [
      {
        ...sent(
          'purchase',
          {
            purchase_status: 'success',
            purchase_id: 'A-1001',
            total_price: 1000,
            local_currency: 'JPY',
            event_id: 'evt-1',
            tax: 250,
          },
          { web_cookie: cookie, customer_id: 'customer-1' },
        ),
        url: `${project.replace('api', 'api-eu1')}/customers/events`,
      },
    ],
  }),
  example('a custom event of a visitor whom only the cookie names', {
    event: { eventName: 'Quiz finished', data: { score: 7 } },
    captured: { __exponea_etc__: cookie },
    sends: [sent('Quiz finished', { event_id: 'evt-1', score: 7 }, { cookie })],
    user: undefined,
  }),
  example('a search of a customer without an e-mail', {
    event: { eventName: 'Search', data: { search: 'shoes' } },
    user: { customerId: 'customer-1' },
    secrets: { BLOOMREACH_HARD_ID_VALUE: 'customerId' },
    sends: [sent('search', { event_id: 'evt-1', search_term: 'shoes' }, { registered: 'customer-1' })],
  }),
  example('what became known of a person updates the customer, and gives no consent', {
    kind: 'user',
    event: { eventName: 'user', data: { email: 'ada.lovelace@gmail.com', tier: 'gold' } },
    user: ada,
    custom: { tier: 'gold' },
    sends: [
      {
        url: `${project}/customers`,
        headers,
        body: {
          customer_ids: { registered: 'ada.lovelace@gmail.com' },
          properties: {
            email: 'ada.lovelace@gmail.com',
            phone: '+491701234567',
            first_name: 'Ada',
            last_name: 'Lovelace',
            gender: 'Female',
            birth_date: '1990-12-10',
            city: 'London',
            state: 'England',
            zip: 'W1A 1AA',
            country: 'United Kingdom',
          },
          update_timestamp: 1_700_000_000,
        },
      },
    ],
  }),
  example('an event named consent, which would give one', {
    event: { eventName: 'consent', data: { action: 'accept', category: 'newsletter' } },
    sends: { skipped: 'eventNotSupported' },
  }),
  example('a hard ID for e-mails gets no user id', {
    event: { eventName: 'Lead', data: cart },
    user: { customerId: 'customer-1' },
    secrets: { BLOOMREACH_HARD_ID: 'email_id' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    { visitor: { skipped: 'identityMissing' }, email: sentForPerson, customer: sentForPerson },
  ),
]
