import { cart } from '#provider/examples.ts'
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
    CJ_ENTERPRISE_ID: identifier('Enterprise ID (CID)', 'The number of your company at CJ: Account, Administration.', {
      placeholder: '1500000',
      helpLink: 'https://docs.cj.com/docs/s2s-implementation',
    }),
    CJ_ACTION_ID: text(
      'Action tracker ID (TYPE)',
      'Of the action that counts your sales: Account, Tracking, Actions.',
      {
        placeholder: '400000',
      },
    ),
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

  request({ event, value, captured }, secrets, name) {
    const { currency, orderId, discount, discounts, contents = [] } = event.data ?? {}
    const click = captured.cjevent ?? captured.CJEVENT ?? captured.cje
    const items = contents.flatMap(({ id, item_price, quantity = 1 }, i) => [
      [`ITEM${i + 1}`, id] as const,
      [`AMT${i + 1}`, item_price] as const,
      [`QTY${i + 1}`, quantity] as const,
    ])
    return {
      url: 'https://www.emjcd.com/u',
      query: {
        CID: secrets.CJ_ENTERPRISE_ID,
        TYPE: name === 'Purchase' ? secrets.CJ_ACTION_ID : name,
        METHOD: 'S2S',
        SIGNATURE: secrets.CJ_SIGNATURE,
        CJEVENT: click?.value,
        EVENTTIME: isoTime(event.timestamp),
        OID: orderId ?? event.eventId,
        CURRENCY: currency,
        COUPON: discounts?.[0]?.code,
        DISCOUNT: discount,
        // items and an amount of the whole exclude each other
        ...(items.length > 0 ? Object.fromEntries(items) : { AMOUNT: value }),
      },
    }
  },

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
