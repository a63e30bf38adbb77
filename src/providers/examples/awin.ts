import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { cart } from '#provider/form/exampleData.ts'

const secrets = { AWIN_ADVERTISER_ID: '12345', AWIN_API_KEY: 'key-1' }
const example = exampleLike({ secrets })
const clicked = { captured: { awc: '12345_1700000000_abc' }, secrets }
const order = {
  orderReference: 'A-1001',
  amount: 59.98,
  channel: 'aw',
  currency: 'EUR',
  awc: '12345_1700000000_abc',
  isTest: false,
  transactionTime: 1_700_000_000,
  commissionGroups: [{ code: 'DEFAULT', amount: 59.98 }],
}
const basket = [
  {
    id: 'sku-1',
    name: 'Runner',
    price: 29.99,
    quantity: 2,
    sku: 'sku-1',
    category: 'Shoes',
    commissionGroupCode: 'DEFAULT',
  },
]

/** The requests, the same for each of the three people. */
const sentForPerson = [like(sent({ ...order, basket })[0]!, { method: undefined })]

export const examples: ProviderExample[] = [
  example('a purchase after a click', {
    event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } },
    ...clicked,
    sends: sent({ ...order, basket }),
  }),
  example('a purchase, net, by a voucher alone, in the customer’s own commission group', {
    event: {
      eventName: 'Purchase',
      data: {
        value: 119,
        tax: 19,
        shipping: 4.95,
        currency: 'EUR',
        orderId: 'A-1001',
        discounts: [{ code: 'SPRING', type: 'FLAT', value: 5 }],
      },
    },
    purchaseValueMode: 'net',
    secrets: { AWIN_COMMISSION_GROUP: 'SHOES' },
    sends: sent({
      ...order,
      awc: undefined,
      amount: 95.05,
      voucher: 'SPRING',
      commissionGroups: [{ code: 'SHOES', amount: 95.05 }],
    }),
  }),
  example('a purchase in yen after a click on Google Ads', {
    event: { eventName: 'Purchase', data: { value: 1250, currency: 'JPY', orderId: 'A-1001' } },
    captured: { gclid: 'G1', awaid: '77' },
    sends: sent({
      ...order,
      awc: 'gclid_77_G1',
      amount: 1250,
      currency: 'JPY',
      commissionGroups: [{ code: 'DEFAULT', amount: 1250 }],
    }),
  }),
  example('a purchase of a new customer', {
    event: { eventName: 'Purchase', data: { value: 59.98, currency: 'EUR', orderId: 'A-1001', isNewCustomer: true } },
    ...clicked,
    sends: sent({ ...order, customerAcquisition: 'NEW' }),
  }),
  example('a purchase in the customer’s test mode', {
    event: { eventName: 'Purchase', data: { value: 59.98, currency: 'EUR', orderId: 'A-1001' } },
    captured: { awin_awc: '12345_1700000000_abc' },
    secrets: { AWIN_TEST_MODE: '1' },
    sends: sent({ ...order, isTest: true }),
  }),
  example('a purchase in the sandbox', {
    event: { eventName: 'Purchase', data: { value: 59.98, currency: 'EUR', orderId: 'A-1001' } },
    ...clicked,
    testMode: true,
    sends: sent({ ...order, isTest: true }),
  }),
  example('a lead, where leads are sent', {
    event: { eventName: 'Lead', data: { value: 10, currency: 'EUR' } },
    captured: clicked.captured,
    secrets: { AWIN_LEAD_EVENT: 'Lead' },
    sends: sent({ ...order, orderReference: 'evt-1', amount: 1, commissionGroups: [{ code: 'DEFAULT', amount: 1 }] }),
  }),
  example('a lead, where leads are not sent', {
    event: { eventName: 'Lead', data: { value: 10, currency: 'EUR' } },
    ...clicked,
    sends: { skipped: 'filtered' },
  }),
  example('a purchase without click and voucher', {
    event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } },
    user: { email: 'ada@example.com' },
    sends: { skipped: 'identityMissing' },
  }),
  example('a page view is not sent', {
    event: { eventName: 'PageView' },
    ...clicked,
    sends: { skipped: 'eventNotSupported' },
  }),
  ...ofEachPerson(
    {
      event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } },
      captured: { awc: '12345_1700000000_abc' },
      secrets,
    },
    { visitor: sentForPerson, email: sentForPerson, customer: sentForPerson },
  ),
]

function sent(row: object) {
  return [
    {
      method: 'POST',
      url: 'https://api.awin.com/s2s/advertiser/12345/orders',
      headers: { 'content-type': 'application/json', 'x-api-key': 'key-1' },
      body: { orders: [JSON.parse(JSON.stringify(row))] },
    },
  ]
}
