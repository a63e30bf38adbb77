import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { cart } from '#provider/form/exampleData.ts'

const secrets = { PARTNERIZE_CAMPAIGN_ID: '1100l1234' }
const example = exampleLike({ secrets })
const clicked = { captured: { clickref: '1011lA2b3C' }, secrets }
const start = 'https://prf.hn/conversion/tracking_mode:api/campaign:1100l1234'

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: { url: string }) => [{ method: 'GET', headers: {}, ...person }]

export const examples: ProviderExample[] = [
  example('a purchase after a click', {
    event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } },
    user: { customerId: 'cus-7', country: 'Germany' },
    ...clicked,
    sends: sent(
      `${start}/clickref:1011lA2b3C/conversionref:A-1001/currency:EUR/country:DE/custref:cus-7/conversion_time:1700000000/[category:Shoes/sku:sku-1/value:29.99/quantity:2]`,
    ),
  }),
  example('a purchase in yen, net, without items, by a voucher', {
    event: {
      eventName: 'Purchase',
      data: {
        value: 1250,
        tax: 250,
        currency: 'JPY',
        orderId: 'A/1:1',
        discounts: [{ code: 'SPRING', type: 'FLAT', value: 5 }],
      },
    },
    purchaseValueMode: 'net',
    secrets: { PARTNERIZE_DEFAULT_CATEGORY: 'shop' },
    sends: sent(
      `${start}/conversionref:A%2F1%3A1/currency:JPY/voucher:SPRING/conversion_time:1700000000/[category:shop/value:1000/quantity:1]`,
    ),
  }),
  example('a purchase of a returning customer', {
    event: { eventName: 'Purchase', data: { value: 5, currency: 'EUR', orderId: 'A-1', isNewCustomer: false } },
    ...clicked,
    sends: sent(
      `${start}/clickref:1011lA2b3C/conversionref:A-1/currency:EUR/customertype:existing/conversion_time:1700000000/[category:default/value:5/quantity:1]`,
    ),
  }),
  example('a purchase of many items is one line for each category', {
    event: {
      eventName: 'Purchase',
      data: {
        currency: 'EUR',
        orderId: 'A-1',
        contents: Array.from({ length: 60 }, (_, at) => ({
          id: `sku-${at}`,
          item_price: 0.1,
          ...(at < 30 && { category: 'Shoes', quantity: 2 }),
        })),
      },
    },
    ...clicked,
    sends: sent(
      `${start}/clickref:1011lA2b3C/conversionref:A-1/currency:EUR/conversion_time:1700000000/[category:Shoes/value:6/quantity:1][category:default/value:3/quantity:1]`,
    ),
  }),
  example('a lead, where leads are sent', {
    event: { eventName: 'Lead', data: { value: 10, currency: 'EUR' } },
    captured: { partnerizeClickReference: 'old-cookie' },
    secrets: { PARTNERIZE_LEAD_EVENT: 'Lead' },
    sends: sent(
      `${start}/clickref:old-cookie/conversionref:evt-1/currency:EUR/conversion_time:1700000000/[category:default/value:10/quantity:1]`,
    ),
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
  example('an event that is no conversion', {
    event: { eventName: 'ViewContent', data: cart },
    ...clicked,
    sends: { skipped: 'eventNotSupported' },
  }),
  ...ofEachPerson(
    {
      event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } },
      captured: { clickref: '1011lA2b3C' },
      secrets,
    },
    {
      visitor: sentForPerson({
        url: 'https://prf.hn/conversion/tracking_mode:api/campaign:1100l1234/clickref:1011lA2b3C/conversionref:A-1001/currency:EUR/conversion_time:1700000000/[category:Shoes/sku:sku-1/value:29.99/quantity:2]',
      }),
      email: sentForPerson({
        url: 'https://prf.hn/conversion/tracking_mode:api/campaign:1100l1234/clickref:1011lA2b3C/conversionref:A-1001/currency:EUR/conversion_time:1700000000/[category:Shoes/sku:sku-1/value:29.99/quantity:2]',
      }),
      customer: sentForPerson({
        url: 'https://prf.hn/conversion/tracking_mode:api/campaign:1100l1234/clickref:1011lA2b3C/conversionref:A-1001/currency:EUR/custref:customer-1/conversion_time:1700000000/[category:Shoes/sku:sku-1/value:29.99/quantity:2]',
      }),
    },
  ),
]

function sent(url: string) {
  return [{ method: 'GET', url, headers: {} }]
}
