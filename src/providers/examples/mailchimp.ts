import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { cart } from '#provider/form/exampleData.ts'

const secrets = { MAILCHIMP_API_KEY: '0123456789abcdef-us21', MAILCHIMP_AUDIENCE_ID: 'a1b2c3d4e5' }
const known = { user: { email: ' Ada@Example.com', customerId: 'customer-1', firstName: 'Ada' }, secrets }
const example = exampleLike(known)
// the MD5 of ada@example.com
const member = '3e3417d7ef77d5932a6734b916515ed5'
const names = {
  ViewContent: 'viewed_product',
  AddToCart: 'added_to_cart',
  RemoveFromCart: 'removed_from_cart',
  InitiateCheckout: 'started_checkout',
  AddShippingInfo: 'added_shipping_info',
  AddPaymentInfo: 'added_payment_info',
  Purchase: 'purchased',
  Subscribe: 'subscribed',
  Search: 'searched',
  Lead: 'lead',
}
const headers = {
  'content-type': 'application/json',
  authorization: `Basic ${Buffer.from('aglet:0123456789abcdef-us21').toString('base64')}`,
}
const properties = {
  order_id: 'A-1001',
  value: '59.98',
  currency: 'EUR',
  event_id: 'evt-1',
  item_ids: 'sku-1',
  item_names: 'Runner',
  quantity: '2',
}

const sent = (name: string, more: object, dataCenter = 'us21') => ({
  url: `https://${dataCenter}.api.mailchimp.com/3.0/lists/a1b2c3d4e5/members/${member}/events`,
  headers,
  body: { name, properties: more, occurred_at: '2023-11-14T22:13:20.000Z', is_syncing: false },
})

/** The requests, the same for each of the three people. */
const sentForPerson = [
  like(sent('lead', { event_id: 'evt-1' }), {
    url: 'https://us21.api.mailchimp.com/3.0/lists/a1b2c3d4e5/members/a74a8adc7dce390b251b827ac43dceb3/events',
  }),
]

export const examples: readonly ProviderExample[] = [
  ...Object.entries(names).map(([eventName, name]) =>
    example(`${eventName} of a member of the audience`, {
      event: { eventName, data: { ...cart, orderId: 'A-1001' } },
      sends: [sent(name, properties)],
    }),
  ),
  example('an order of the store, whose buyer is subscribed to nothing by it, then its event', {
    event: { eventName: 'Purchase', data: { ...cart, orderId: 'A/1001', tax: 9.58, shipping: 4.95 } },
    captured: { mc_cid: '0123abcdef' },
    secrets: { MAILCHIMP_STORE_ID: 'store-1' },
    sends: [
      {
        method: 'PUT',
        url: 'https://us21.api.mailchimp.com/3.0/ecommerce/stores/store-1/orders/A%2F1001',
        headers,
        body: {
          id: 'A/1001',
          customer: {
            id: '3e3417d7ef77d5932a6734b916515ed5',
            email_address: 'ada@example.com',
            first_name: 'Ada',
            opt_in_status: false,
          },
          currency_code: 'EUR',
          order_total: 59.98,
          tax_total: 9.58,
          shipping_total: 4.95,
          processed_at_foreign: '2023-11-14T22:13:20.000Z',
          campaign_id: '0123abcdef',
          lines: [{ id: '1', product_id: 'sku-1', product_variant_id: 'red', quantity: 2, price: 29.99 }],
        },
      },
      sent('purchased', { ...properties, order_id: 'A/1001', tax: '9.58', shipping: '4.95' }),
    ],
  }),
  example('an order in yen, net, without lines is an event alone; the data centre is chosen', {
    event: { eventName: 'Purchase', data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-1001' } },
    purchaseValueMode: 'net',
    secrets: { MAILCHIMP_STORE_ID: 'store-1', MAILCHIMP_DATACENTER: 'us7' },
    sends: [
      sent('purchased', { order_id: 'A-1001', value: '1000', currency: 'JPY', event_id: 'evt-1', tax: '250' }, 'us7'),
    ],
  }),
  example('a custom event, in the characters that a name may have, cut to 30', {
    event: { eventName: 'Quiz: “Which shoe?” finished by a visitor', data: { score: 7, list: [1] } },
    sends: [sent('Quiz_ _Which shoe__ finished b', { event_id: 'evt-1', score: '7' })],
  }),
  example('a name of one character is too short', {
    event: { eventName: 'q' },
    sends: { skipped: 'eventNotSupported' },
  }),
  example('what became known of a person updates a member of the audience, and makes none', {
    kind: 'user',
    event: { eventName: 'user', data: { firstName: 'Ada', tier: 'gold' } },
    user: { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace', city: 'London' },
    custom: { tier: 'gold' },
    replies: [{ status: 404, json: { title: 'Resource Not Found', status: 404 } }],
    sends: [
      {
        method: 'PATCH',
        url: `https://us21.api.mailchimp.com/3.0/lists/a1b2c3d4e5/members/${member}?skip_merge_validation=true`,
        headers,
        body: { merge_fields: { FNAME: 'Ada', LNAME: 'Lovelace' } },
      },
    ],
  }),
  example('an update without a name', {
    kind: 'user',
    event: { eventName: 'user', data: { city: 'London' } },
    user: { email: 'ada@example.com', city: 'London' },
    sends: { skipped: 'filtered' },
  }),
  example('a person without an e-mail', {
    event: { eventName: 'Lead', data: cart },
    user: { customerId: 'customer-1' },
    sends: { skipped: 'identityMissing' },
  }),
  example('Subscribe adds the person to what the customer set', {
    event: { eventName: 'Subscribe' },
    user: { email: 'ada@example.com' },
    secrets: { MAILCHIMP_LIST_STATUS: 'pending' },
    replies: [{ status: 200, json: { status: 'pending' } }],
    sends: [
      {
        method: 'PUT',
        url: `https://us21.api.mailchimp.com/3.0/lists/a1b2c3d4e5/members/${member}`,
        headers,
        body: { email_address: 'ada@example.com', status_if_new: 'pending' },
      },
      sent('subscribed', { event_id: 'evt-1' }),
    ],
  }),
  example('Subscribe adds nobody who refused advertising', {
    event: { eventName: 'Subscribe' },
    user: { email: 'ada@example.com' },
    consent: { advertising: 'denied' },
    secrets: { MAILCHIMP_LIST_STATUS: 'pending' },
    sends: [sent('subscribed', { event_id: 'evt-1' })],
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    { visitor: { skipped: 'identityMissing' }, email: sentForPerson, customer: sentForPerson },
  ),
]
