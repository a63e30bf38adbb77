import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { cart } from '#provider/form/exampleData.ts'

const secrets = { RAKUTEN_MID: '12345' }
const example = exampleLike({ secrets })
const clicked = { captured: { ranSiteID: 'site-1' }, secrets }

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: { url: string }) => [{ method: 'GET', headers: { accept: 'text/xml' }, ...person }]

export const examples: ProviderExample[] = [
  example('a purchase after a click', {
    event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } },
    user: { customerId: 'cus-7' },
    ...clicked,
    sends: sent(
      'ord=A-1001&tr=site-1&land=20231114_2213&date=20231114_2213&cur=EUR&skulist=sku-1&namelist=Runner&qlist=2&amtlist=5998&custid=cus-7',
    ),
  }),
  example('a purchase in yen with two items and a coupon', {
    event: {
      eventName: 'Purchase',
      data: {
        value: 1750,
        currency: 'JPY',
        orderId: 'A-1001',
        discounts: [{ code: 'SPRING', type: 'FLAT', value: 5 }],
        contents: [
          { id: 'a', title: 'One|Two', item_price: 1250 },
          { id: 'b', item_price: 250, quantity: 2 },
        ],
      },
    },
    captured: { siteID: 'site-2' },
    sends: sent(
      'ord=A-1001&tr=site-2&land=20231114_2213&date=20231114_2213&cur=JPY&skulist=a%7Cb&namelist=One+Two%7C&qlist=1%7C2&amtlist=1250%7C500&coupon=SPRING',
    ),
  }),
  example('a purchase, net, without items', {
    event: { eventName: 'Purchase', data: { value: 119, tax: 19, currency: 'EUR', orderId: 'A-1001' } },
    purchaseValueMode: 'net',
    captured: { rakuten_site_id: 'site-3' },
    sends: sent(
      'ord=A-1001&tr=site-3&land=20231114_2213&date=20231114_2213&cur=EUR&skulist=ORDER&namelist=Order&qlist=1&amtlist=10000',
    ),
  }),
  example('a purchase with a discount, which is spread over its lines, after a click that the gateway’s cookie tells', {
    event: {
      eventName: 'Purchase',
      data: {
        value: 25,
        currency: 'EUR',
        orderId: 'A-1001',
        discount: 5,
        contents: [
          { id: 'a', title: 'One', item_price: 10 },
          { id: 'b', title: 'Two', item_price: 10, quantity: 2 },
        ],
      },
    },
    captured: { rmStore: 'amid%3A12345%7Catrv%3Asite-4%7Cald%3A20231114_2213' },
    sends: sent(
      'ord=A-1001&tr=site-4&land=20231114_2213&date=20231114_2213&cur=EUR&skulist=a%7Cb&namelist=One%7CTwo&qlist=1%7C2&amtlist=833%7C1667',
    ),
  }),
  example('a click of another merchant in the gateway’s cookie', {
    event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } },
    captured: { rmStore: 'amid:999|atrv:site-5' },
    sends: { skipped: 'identityMissing' },
  }),
  example('a purchase of a new customer', {
    event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001', isNewCustomer: true } },
    ...clicked,
    sends: sent(
      'ord=A-1001&tr=site-1&land=20231114_2213&date=20231114_2213&cur=EUR&skulist=sku-1&namelist=Runner&qlist=2&amtlist=5998&custstatus=New',
    ),
  }),
  example('a lead, where leads are sent', {
    event: { eventName: 'Lead', data: { value: 10, currency: 'EUR' } },
    captured: clicked.captured,
    secrets: { RAKUTEN_LEAD_EVENT: 'Lead' },
    sends: sent(
      'ord=evt-1&tr=site-1&land=20231114_2213&date=20231114_2213&cur=EUR&skulist=Lead&namelist=Lead&qlist=1&amtlist=1',
    ),
  }),
  example('a lead, where leads are not sent', {
    event: { eventName: 'Lead', data: { value: 10, currency: 'EUR' } },
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
      captured: { ranSiteID: 'site-1' },
      secrets,
    },
    {
      visitor: sentForPerson({
        url: 'https://track.linksynergy.com/ep?mid=12345&ord=A-1001&tr=site-1&land=20231114_2213&date=20231114_2213&cur=EUR&skulist=sku-1&namelist=Runner&qlist=2&amtlist=5998&xml=1',
      }),
      email: sentForPerson({
        url: 'https://track.linksynergy.com/ep?mid=12345&ord=A-1001&tr=site-1&land=20231114_2213&date=20231114_2213&cur=EUR&skulist=sku-1&namelist=Runner&qlist=2&amtlist=5998&xml=1',
      }),
      customer: sentForPerson({
        url: 'https://track.linksynergy.com/ep?mid=12345&ord=A-1001&tr=site-1&land=20231114_2213&date=20231114_2213&cur=EUR&skulist=sku-1&namelist=Runner&qlist=2&amtlist=5998&custid=customer-1&xml=1',
      }),
    },
  ),
]

function sent(query: string) {
  return [
    {
      method: 'GET',
      url: `https://track.linksynergy.com/ep?mid=12345&${query}&xml=1`,
      headers: { accept: 'text/xml' },
    },
  ]
}
