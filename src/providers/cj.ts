import { cart } from '#provider/examples.ts'
import { numbered } from '#provider/items.ts'
import { provider } from '#provider/provider.ts'
import { isoTime } from '#provider/time.ts'
import { eventPairs, identifier, text } from '#provider/variables.ts'

const secrets = { CJ_ENTERPRISE_ID: '1560000', CJ_ACTION_ID: '440000' }
const clicked = { captured: { cjevent: 'abc123' }, secrets }

// https://docs.cj.com/docs/s2s-implementation: an order is corrected through the partner's own files or the API for
// corrections, never here, so a refund is not sent
export default provider({
  label: 'CJ Affiliate',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://docs.cj.com/docs/s2s',
  dashboardUrl: 'https://members.cj.com',
  links: { onboarding: 'https://docs.cj.com/docs/s2s-implementation' },
  host: 'fixed',

  secrets: {
    CJ_ENTERPRISE_ID: identifier('Enterprise ID (CID)', 'The number of your company at CJ: Account, Administration.'),
    CJ_ACTION_ID: text('Action tracker ID (TYPE)', 'The action that counts your sales: Account, Tracking, Actions.'),
    CJ_MAPPED_EVENTS: eventPairs('the action tracker id it counts as, beside Purchase', '400001', { optional: true }),
    CJ_SIGNATURE: text('Signature', 'Where CJ gave you one for server-to-server tracking: it goes along as it is.', {
      optional: true,
      sensitive: true,
      inAddress: 'CJ takes all it is told in the query of one address.',
    }),
  },

  events: { Purchase: 'Purchase' },
  mapping: 'CJ_MAPPED_EVENTS',
  user: {},
  // without a click CJ credits nobody; the parameter is written in either case
  requires: ['captured.cjevent', 'captured.CJEVENT', 'captured.cje'],
  captures: [{ query: 'cjevent', cookie: 'cje' }, { query: 'CJEVENT' }],
  dedup: 'OID, the order id: CJ removes duplicates by it whatever way they come',

  request: ({ event, data, items, orderId, coupon, value, captured }, secrets, name) => ({
    url: 'https://www.emjcd.com/u',
    query: {
      CID: secrets.CJ_ENTERPRISE_ID,
      TYPE: name === 'Purchase' ? secrets.CJ_ACTION_ID : name,
      METHOD: 'S2S',
      SIGNATURE: secrets.CJ_SIGNATURE,
      CJEVENT: (captured.cjevent ?? captured.CJEVENT ?? captured.cje)?.value,
      EVENTTIME: isoTime(event.timestamp),
      OID: orderId,
      CURRENCY: data.currency,
      COUPON: coupon,
      DISCOUNT: data.discount,
      // items and an amount of the whole exclude each other
      ...(numbered(items, ({ id, item_price, quantity = 1 }) => ({ ITEM: id, AMT: item_price, QTY: quantity })) ?? {
        AMOUNT: value,
      }),
    },
  }),

  examples: [
    {
      title: 'a purchase with what was in the cart, and a discount',
      event: {
        eventName: 'Purchase',
        data: { ...cart, orderId: 'A-1001', discount: 5, discounts: [{ code: 'SPRING', type: 'FLAT', value: 5 }] },
      },
      ...clicked,
      sends: sent(
        'CID=1560000&TYPE=440000&METHOD=S2S&CJEVENT=abc123&EVENTTIME=2023-11-14T22%3A13%3A20.000Z&OID=A-1001&CURRENCY=EUR&COUPON=SPRING&DISCOUNT=5&ITEM1=sku-1&AMT1=29.99&QTY1=2',
      ),
    },
    {
      title: 'a purchase, net, without items, signed',
      event: {
        eventName: 'Purchase',
        data: { value: 119, tax: 19, shipping: 4.95, currency: 'EUR', orderId: 'A-1001' },
      },
      captured: { cje: 'from-cookie' },
      purchaseValueMode: 'net',
      secrets: { ...secrets, CJ_SIGNATURE: 'cj-signature' },
      sends: sent(
        'CID=1560000&TYPE=440000&METHOD=S2S&SIGNATURE=cj-signature&CJEVENT=from-cookie&EVENTTIME=2023-11-14T22%3A13%3A20.000Z&OID=A-1001&CURRENCY=EUR&AMOUNT=95.05',
      ),
    },
    {
      title: 'a lead that the customer counts as an action',
      event: { eventName: 'Lead', data: { value: 10, currency: 'USD' } },
      captured: { CJEVENT: 'UPPER' },
      secrets: { ...secrets, CJ_MAPPED_EVENTS: '[["Lead", "440001"]]' },
      sends: sent(
        'CID=1560000&TYPE=440001&METHOD=S2S&CJEVENT=UPPER&EVENTTIME=2023-11-14T22%3A13%3A20.000Z&OID=evt-1&CURRENCY=USD&AMOUNT=10',
      ),
    },
    {
      title: 'an event that is not paired',
      event: { eventName: 'AddToCart', data: cart },
      ...clicked,
      sends: { skipped: 'filtered' },
    },
    {
      title: 'a purchase without a click is nobody’s',
      event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } },
      user: { email: 'ada@example.com' },
      secrets,
      sends: { skipped: 'identityMissing' },
    },
  ],
})

function sent(query: string) {
  return [{ method: 'GET', url: `https://www.emjcd.com/u?${query}`, headers: {} }]
}
