import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const names = {
  PageView: 'page_view',
  ViewContent: 'view_content',
  AddToCart: 'add_to_cart',
  RemoveFromCart: 'remove_from_cart',
  InitiateCheckout: 'start_checkout',
  AddShippingInfo: 'add_shipping_info',
  AddPaymentInfo: 'add_payment_info',
  Purchase: 'make_purchase',
  Subscribe: 'complete_registration',
  Search: 'search',
  Lead: 'lead',
  'Quiz finished': 'Quiz',
}
const secrets = { TABOOLA_QUERY_KEY: 'tblci', TABOOLA_MAPPED_EVENTS: JSON.stringify(Object.entries(names)) }
const example = exampleLike({ secrets })
const captured = { tblci: 'GiAbC-_dE' }

/** The requests, the same for each of the three people. */
const sentForPerson = [
  {
    method: 'GET',
    url: 'https://trc.taboola.com/actions-handler/log/3/s2s-action?click-id=GiAbC-_dE&name=lead',
    headers: {},
  },
]

export const examples: readonly ProviderExample[] = [
  example('a purchase for the account, which is sent with its time', {
    event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } },
    user: ada,
    captured,
    secrets: { TABOOLA_ACCOUNT_ID: '123456' },
    sends: [
      {
        url: 'https://trc.taboola.com/123456/log/3/bulk-s2s-action',
        headers: { 'content-type': 'application/json' },
        body: {
          actions: [
            {
              'click-id': 'GiAbC-_dE',
              timestamp: 1_700_000_000_000,
              name: 'make_purchase',
              revenue: 59.98,
              currency: 'EUR',
              orderid: 'A-1001',
              quantity: 2,
            },
          ],
        },
      },
    ],
  }),
  ...Object.entries(names).map(([eventName, name]) =>
    example(`${eventName} as a postback`, {
      event: { eventName, data: cart },
      captured,
      sends: sent(`GiAbC-_dE&name=${name}&revenue=59.98&currency=EUR&quantity=2`),
    }),
  ),
  example('a purchase in yen, net, with the click id in a parameter of another name', {
    event: { eventName: 'Purchase', data: { value: 1250, tax: 250, currency: 'jpy', orderId: 'A-1001' } },
    purchaseValueMode: 'net',
    captured: { click_id: 'own-parameter' },
    secrets: { TABOOLA_QUERY_KEY: 'click_id' },
    sends: sent('own-parameter&name=make_purchase&revenue=1000&currency=JPY&orderid=A-1001'),
  }),
  example('a page view on the landing page itself', {
    event: { eventName: 'PageView', pageUrl: 'https://shop.example/?click_id=of-page' },
    secrets: { TABOOLA_QUERY_KEY: 'click_id' },
    sends: sent('of-page&name=page_view'),
  }),
  example('a lead with the click id of the cookie', {
    event: { eventName: 'Lead' },
    captured: { taboola_cid: 'c00kie' },
    sends: sent('c00kie&name=lead'),
  }),
  example('a refund, also where it has a mapping', {
    event: { eventName: 'Refund', data: cart },
    captured,
    secrets: { TABOOLA_MAPPED_EVENTS: '[["Refund", "refund"]]' },
    sends: { skipped: 'eventNotSupported' },
  }),
  example('an event without a mapping', {
    event: { eventName: 'Signed up', data: cart },
    captured,
    sends: { skipped: 'filtered' },
  }),
  example('a mapped event that is not in the list of allowed events', {
    event: { eventName: 'PageView' },
    captured,
    secrets: { TABOOLA_ALLOWED_EVENTS: 'Purchase, Lead' },
    sends: { skipped: 'filtered' },
  }),
  example('a purchase without a click id', {
    event: { eventName: 'Purchase', data: cart },
    user: ada,
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, captured: { tblci: 'GiAbC-_dE' }, secrets },
    { visitor: sentForPerson, email: sentForPerson, customer: sentForPerson },
  ),
]

function sent(query: string) {
  return [
    {
      method: 'GET',
      url: `https://trc.taboola.com/actions-handler/log/3/s2s-action?click-id=${query}`,
      headers: {},
    },
  ]
}
