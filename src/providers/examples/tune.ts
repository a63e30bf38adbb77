import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { cart } from '#provider/form/exampleData.ts'

const secrets = { TUNE_NETWORK_ID: 'demo' }
const example = exampleLike({ secrets })
const clicked = { captured: { transaction_id: '1027c887059b47bc' }, secrets }

/** The requests, the same for each of the three people. */
const sentForPerson = [
  {
    method: 'GET',
    url: 'https://demo.go2cloud.org/aff_lsr?transaction_id=1027c887059b47bc&amount=59.98&adv_sub=A-1001&adv_unique1=evt-1&conversion_unique_id=A-1001',
    headers: {},
  },
]

export const examples: ProviderExample[] = [
  example('a purchase is the base conversion', {
    event: {
      eventName: 'Purchase',
      data: { ...cart, orderId: 'A-1001', discounts: [{ code: 'SPRING', type: 'FLAT', value: 5 }] },
    },
    ...clicked,
    sends: sent(
      'transaction_id=1027c887059b47bc&amount=59.98&adv_sub=A-1001&adv_unique1=evt-1&promo_code=SPRING&conversion_unique_id=A-1001',
    ),
  }),
  example('a purchase in yen, net, of one offer, with a security token', {
    event: { eventName: 'Purchase', data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-1001' } },
    purchaseValueMode: 'net',
    captured: { tune_transaction_id: 'c00kie' },
    secrets: { TUNE_OFFER_ID: '26', TUNE_SECURITY_TOKEN: 'token-1' },
    sends: sent(
      'transaction_id=c00kie&offer_id=26&amount=1000&adv_sub=A-1001&adv_unique1=evt-1&conversion_unique_id=A-1001&security_token=token-1',
    ),
  }),
  example('a lead that is mapped to a goal', {
    event: { eventName: 'Lead', data: { value: 10, currency: 'USD' } },
    captured: { tid: 'abc' },
    secrets: { TUNE_MAPPED_EVENTS: '[["Purchase", ""], ["Lead", "7"]]' },
    sends: sent('transaction_id=abc&goal_id=7&amount=10&adv_unique1=evt-1&conversion_unique_id=evt-1'),
  }),
  example('a purchase whose network hands the click on as aff_sub', {
    event: { eventName: 'Purchase', data: { value: 5, currency: 'EUR', orderId: 'A-1001' } },
    captured: { aff_sub: 'sub-1' },
    sends: sent('transaction_id=sub-1&amount=5&adv_sub=A-1001&adv_unique1=evt-1&conversion_unique_id=A-1001'),
  }),
  example('a purchase of a network with a tracking host of its own', {
    event: { eventName: 'Purchase', data: { value: 5, currency: 'EUR', orderId: 'A-1001' } },
    captured: clicked.captured,
    secrets: { TUNE_NETWORK_ID: 'tracking.shop.example' },
    sends: sent(
      'transaction_id=1027c887059b47bc&amount=5&adv_sub=A-1001&adv_unique1=evt-1&conversion_unique_id=A-1001',
      'tracking.shop.example',
    ),
  }),
  example('an event that is not mapped', {
    event: { eventName: 'AddToCart', data: cart },
    ...clicked,
    sends: { skipped: 'filtered' },
  }),
  example('a purchase without a click', {
    event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } },
    user: { email: 'ada@example.com' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    {
      event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } },
      captured: { transaction_id: '1027c887059b47bc' },
      secrets,
    },
    { visitor: sentForPerson, email: sentForPerson, customer: sentForPerson },
  ),
]

function sent(query: string, host = 'demo.go2cloud.org') {
  return [{ method: 'GET', url: `https://${host}/aff_lsr?${query}`, headers: {} }]
}
