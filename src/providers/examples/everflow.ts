import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { cart } from '#provider/form/exampleData.ts'

const secrets = { EVERFLOW_POSTBACK_URL: 'https://www.trk.example/', EVERFLOW_NETWORK_ID: '1234' }
const example = exampleLike({ secrets })
const clicked = { captured: { _ef_transaction_id: '0123456789abcdef0123456789abcdef' }, secrets }
const click = 'transaction_id=0123456789abcdef0123456789abcdef'

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: { url: string }) => [{ method: 'GET', headers: {}, ...person }]

export const examples: ProviderExample[] = [
  example('a purchase is the base conversion', {
    event: {
      eventName: 'Purchase',
      data: { ...cart, orderId: 'A-1001', discounts: [{ code: 'SPRING', type: 'FLAT', value: 5 }] },
    },
    user: { customerId: 'cus-7' },
    ...clicked,
    sends: sent(
      `nid=1234&${click}&amount=59.98&currency=EUR&order_id=A-1001&coupon_code=SPRING&user_id=cus-7&timestamp=1700000000`,
    ),
  }),
  example('a purchase in yen, net, by the cookie, with a verification token', {
    event: { eventName: 'Purchase', data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-1001' } },
    purchaseValueMode: 'net',
    captured: { ef_transaction_id: 'c00kie' },
    secrets: { EVERFLOW_VERIFICATION_TOKEN: 'token-1' },
    sends: sent(
      'nid=1234&transaction_id=c00kie&amount=1000&currency=JPY&order_id=A-1001&timestamp=1700000000&verification_token=token-1',
    ),
  }),
  example('a lead that is mapped to an event of the offer', {
    event: { eventName: 'Lead', data: { value: 10, currency: 'USD' } },
    captured: clicked.captured,
    secrets: { EVERFLOW_MAPPED_EVENTS: '[["Purchase", ""], ["Lead", "12"]]' },
    sends: sent(`nid=1234&${click}&event_id=12&amount=10&currency=USD&timestamp=1700000000`),
  }),
  example('a purchase of a partner’s visitor without a click id', {
    event: { eventName: 'Purchase', data: { value: 5, currency: 'EUR', orderId: 'A-1001' } },
    captured: { oid: '3', affid: '9' },
    sends: sent('nid=1234&oid=3&affid=9&amount=5&currency=EUR&order_id=A-1001&timestamp=1700000000'),
  }),
  example('an event that is not mapped', {
    event: { eventName: 'AddToCart', data: cart },
    ...clicked,
    sends: { skipped: 'filtered' },
  }),
  example('a purchase without click, coupon and partner', {
    event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } },
    user: { email: 'ada@example.com' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    {
      event: {
        eventName: 'Purchase',
        data: { ...cart, orderId: 'A-1001', discounts: [{ code: 'SPRING', type: 'FLAT', value: 5 }] },
      },
      secrets,
    },
    {
      visitor: sentForPerson({
        url: 'https://www.trk.example/?nid=1234&amount=59.98&currency=EUR&order_id=A-1001&coupon_code=SPRING&timestamp=1700000000',
      }),
      email: sentForPerson({
        url: 'https://www.trk.example/?nid=1234&amount=59.98&currency=EUR&order_id=A-1001&coupon_code=SPRING&timestamp=1700000000',
      }),
      customer: sentForPerson({
        url: 'https://www.trk.example/?nid=1234&amount=59.98&currency=EUR&order_id=A-1001&coupon_code=SPRING&user_id=customer-1&timestamp=1700000000',
      }),
    },
  ),
]

function sent(query: string) {
  return [{ method: 'GET', url: `https://www.trk.example/?${query}`, headers: {} }]
}
