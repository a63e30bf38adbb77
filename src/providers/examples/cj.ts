import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { cart } from '#provider/form/exampleData.ts'

const secrets = { CJ_ENTERPRISE_ID: '1560000', CJ_ACTION_ID: '440000' }
const example = exampleLike({ secrets })
const clicked = { captured: { cjevent: 'abc123' }, secrets }

/** The requests, the same for each of the three people. */
const sentForPerson = [
  {
    method: 'GET',
    url: 'https://www.emjcd.com/u?CID=1560000&TYPE=440000&METHOD=S2S&CJEVENT=abc123&EVENTTIME=2023-11-14T22%3A13%3A20.000Z&OID=A-1001&CURRENCY=EUR&ITEM1=sku-1&AMT1=29.99&QTY1=2',
    headers: {},
  },
]

export const examples: ProviderExample[] = [
  example('a purchase with items and a discount', {
    event: {
      eventName: 'Purchase',
      data: { ...cart, orderId: 'A-1001', discount: 5, discounts: [{ code: 'SPRING', type: 'FLAT', value: 5 }] },
    },
    ...clicked,
    sends: sent(
      'CID=1560000&TYPE=440000&METHOD=S2S&CJEVENT=abc123&EVENTTIME=2023-11-14T22%3A13%3A20.000Z&OID=A-1001&CURRENCY=EUR&COUPON=SPRING&DISCOUNT=5&ITEM1=sku-1&AMT1=29.99&QTY1=2',
    ),
  }),
  example('a purchase, net, without items, signed', {
    event: { eventName: 'Purchase', data: { value: 119, tax: 19, shipping: 4.95, currency: 'EUR', orderId: 'A-1001' } },
    captured: { cje: 'from-cookie' },
    purchaseValueMode: 'net',
    secrets: { CJ_SIGNATURE: 'cj-signature' },
    sends: sent(
      'CID=1560000&TYPE=440000&METHOD=S2S&SIGNATURE=cj-signature&CJEVENT=from-cookie&EVENTTIME=2023-11-14T22%3A13%3A20.000Z&OID=A-1001&CURRENCY=EUR&AMOUNT=95.05',
    ),
  }),
  example('a purchase of half a metre by a new customer: one piece at the price of that length', {
    event: {
      eventName: 'Purchase',
      data: {
        value: 4.5,
        currency: 'EUR',
        orderId: 'A-1001',
        isNewCustomer: true,
        contents: [{ id: 'cloth', quantity: 0.5, item_price: 9 }],
      },
    },
    ...clicked,
    sends: sent(
      'CID=1560000&TYPE=440000&METHOD=S2S&CJEVENT=abc123&EVENTTIME=2023-11-14T22%3A13%3A20.000Z&OID=A-1001&CURRENCY=EUR&ITEM1=cloth&AMT1=4.5&QTY1=1&CUST_STATUS=New',
    ),
  }),
  example('a purchase with an item of unknown price is sent with its total amount', {
    event: {
      eventName: 'Purchase',
      data: { ...cart, orderId: 'A-1001', isNewCustomer: false, contents: [...cart.contents, { id: 'sku-2' }] },
    },
    ...clicked,
    sends: sent(
      'CID=1560000&TYPE=440000&METHOD=S2S&CJEVENT=abc123&EVENTTIME=2023-11-14T22%3A13%3A20.000Z&OID=A-1001&CURRENCY=EUR&AMOUNT=59.98&CUST_STATUS=Return',
    ),
  }),
  example('a lead that the customer counts as an action', {
    event: { eventName: 'Lead', data: { value: 10, currency: 'USD' } },
    captured: { CJEVENT: 'UPPER' },
    secrets: { CJ_MAPPED_EVENTS: '[["Lead", "440001"]]' },
    sends: sent(
      'CID=1560000&TYPE=440001&METHOD=S2S&CJEVENT=UPPER&EVENTTIME=2023-11-14T22%3A13%3A20.000Z&OID=evt-1&CURRENCY=USD&AMOUNT=10',
    ),
  }),
  example('an event without a mapping', {
    event: { eventName: 'AddToCart', data: cart },
    ...clicked,
    sends: { skipped: 'filtered' },
  }),
  example('a purchase without a click id', {
    event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } },
    user: { email: 'ada@example.com' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    {
      event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } },
      captured: { cjevent: 'abc123' },
      secrets,
    },
    { visitor: sentForPerson, email: sentForPerson, customer: sentForPerson },
  ),
]

function sent(query: string) {
  return [{ method: 'GET', url: `https://www.emjcd.com/u?${query}`, headers: {} }]
}
