import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = {
  IMPACT_CAMPAIGN_ID: '10306',
  IMPACT_ACCOUNT_SID: 'IRsid',
  IMPACT_ACCESS_TOKEN: 'impact-token',
  IMPACT_CONVERSIONS: '[{"event":"Purchase","id":"19845"},{"event":"Quiz finished","id":"19846"}]',
}
const example = exampleLike({ secrets })

/** The expected requests; the arguments differ between the examples. */
function sent(EventTypeId: string, more: Record<string, string>) {
  return [
    {
      url: 'https://api.impact.com/Advertisers/IRsid/Conversions',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
        authorization: 'Basic SVJzaWQ6aW1wYWN0LXRva2Vu',
      },
      body: { CampaignId: '10306', EventTypeId, EventDate: '2023-11-14T22:13:20.000Z', ...more },
    },
  ]
}

/** The requests, the same for each of the three people. */
const sentForPerson = [
  like(sent('19845', {})[0]!, {
    body: {
      OrderId: 'A-1001',
      CustomerId: 'customer-1',
      CustomerEmail: 'd4b76b1844c8e8b45eaffbe2b88cfa71f934e616',
      CurrencyCode: 'EUR',
      ItemSku1: 'sku-1',
      ItemName1: 'Runner',
      ItemCategory1: 'Shoes',
      ItemQuantity1: '2',
      ItemPrice1: '29.99',
    },
  }),
]

export const examples: readonly ProviderExample[] = [
  example('a purchase with items by a person with all keys', {
    event: {
      eventName: 'Purchase',
      data: { ...cart, orderId: 'A-1001', discount: 5, discounts: [{ code: 'SPRING', type: 'FLAT', value: 5 }] },
    },
    user: ada,
    captured: { im_ref: 'click-1' },
    sends: sent('19845', {
      OrderId: 'A-1001',
      ClickId: 'click-1',
      CustomerId: 'customer-1',
      CustomerEmail: 'd4b76b1844c8e8b45eaffbe2b88cfa71f934e616',
      CustomerCity: 'London',
      CustomerRegion: 'England',
      CustomerPostCode: 'W1A 1AA',
      CustomerCountry: 'GB',
      IpAddress: '81.2.69.142',
      UserAgent: 'Mozilla/5.0',
      CurrencyCode: 'EUR',
      OrderPromoCode: 'SPRING',
      OrderDiscount: '5',
      ItemSku1: 'sku-1',
      ItemName1: 'Runner',
      ItemCategory1: 'Shoes',
      ItemQuantity1: '2',
      ItemPrice1: '29.99',
    }),
  }),
  example('a purchase, net, without items, with the click id of the cookie; a hashed e-mail is not hashed again', {
    event: { eventName: 'Purchase', data: { value: 119, tax: 19, shipping: 4.95, currency: 'EUR', orderId: 'A-1001' } },
    user: { email: 'd4b76b1844c8e8b45eaffbe2b88cfa71f934e616', customerId: 'ada@example.com' },
    captured: { impact_cid: 'from-cookie' },
    purchaseValueMode: 'net',
    sends: sent('19845', {
      OrderId: 'A-1001',
      ClickId: 'from-cookie',
      CustomerEmail: 'd4b76b1844c8e8b45eaffbe2b88cfa71f934e616',
      CurrencyCode: 'EUR',
      OrderSubTotalPostDiscount: '95.05',
    }),
  }),
  example('a purchase of half a metre: one piece at the price of that length', {
    event: {
      eventName: 'Purchase',
      data: { value: 4.5, currency: 'EUR', orderId: 'A-1', contents: [{ id: 'cloth', quantity: 0.5, item_price: 9 }] },
    },
    captured: { im_ref: 'click-1' },
    sends: sent('19845', {
      OrderId: 'A-1',
      ClickId: 'click-1',
      CurrencyCode: 'EUR',
      ItemSku1: 'cloth',
      ItemQuantity1: '1',
      ItemPrice1: '4.5',
    }),
  }),
  example('a purchase with an item of unknown price is sent with its total amount', {
    event: {
      eventName: 'Purchase',
      data: { value: 59.98, currency: 'EUR', orderId: 'A-1', contents: [...cart.contents, { id: 'sku-2' }] },
    },
    captured: { im_ref: 'click-1' },
    sends: sent('19845', {
      OrderId: 'A-1',
      ClickId: 'click-1',
      CurrencyCode: 'EUR',
      OrderSubTotalPostDiscount: '59.98',
    }),
  }),
  example('a custom event with a mapping, after a link in the older format', {
    event: { eventName: 'Quiz finished' },
    captured: { irclickid: 'older' },
    sends: sent('19846', { OrderId: 'evt-1', ClickId: 'older' }),
  }),
  example('a promo code alone credits a partner', {
    event: { eventName: 'Purchase', data: { orderId: 'A-1', discounts: [{ code: 'PARTNER10' }] } },
    sends: sent('19845', { OrderId: 'A-1', OrderPromoCode: 'PARTNER10' }),
  }),
  example('an event without a mapping', {
    event: { eventName: 'Lead', data: { value: 10, currency: 'USD' } },
    user: { customerId: 'customer-1' },
    sends: { skipped: 'filtered' },
  }),
  example('without click id, user id and promo code', {
    event: { eventName: 'Purchase', data: { orderId: 'A-1' } },
    user: { email: 'ada@example.com' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } }, secrets },
    { visitor: { skipped: 'identityMissing' }, email: { skipped: 'identityMissing' }, customer: sentForPerson },
  ),
]
