import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'

const secrets = { PLAUSIBLE_DOMAIN: 'shop.example' }
const example = exampleLike({ secrets })
const user = { ip: '81.2.69.142', userAgent: 'Mozilla/5.0' }
const pageUrl = 'https://shop.example/cart?utm_source=news'
const revenue = { currency: 'EUR', amount: 59.98 }
const { Purchase: _purchase, PageView: _pageView, ...others } = standardEventNames

/** The expected request; `more` differs between the examples. */
function sent(name: string, more: object = {}, host = 'https://plausible.io') {
  return [
    {
      url: `${host}/api/event`,
      headers: { 'content-type': 'application/json', 'user-agent': 'Mozilla/5.0', 'x-forwarded-for': '81.2.69.142' },
      body: { name, domain: 'shop.example', url: pageUrl, ...more },
    },
  ]
}

/** The requests, the same for each of the three people. */
const sentForPerson = [
  {
    url: 'https://plausible.io/api/event',
    headers: { 'content-type': 'application/json', 'user-agent': 'Mozilla/5.0', 'x-forwarded-for': '81.2.69.142' },
    body: { name: 'pageview', domain: 'shop.example', url: 'https://shop.example/' },
  },
]

export const examples: readonly ProviderExample[] = [
  example('a purchase', {
    event: {
      eventName: 'Purchase',
      pageUrl,
      referrer: 'https://a.example/',
      data: { ...cart, contents: [...cart.contents, { id: 'sku-2' }], orderId: 'A-1001', isGift: true },
    },
    user: ada,
    sends: sent('Purchase', {
      referrer: 'https://a.example/',
      revenue,
      props: { order_id: 'A-1001', item_ids: 'sku-1,sku-2', isGift: 'true' },
    }),
  }),
  example('a purchase in yen, net, at an instance of one’s own', {
    event: { eventName: 'Purchase', pageUrl, data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-2' } },
    user,
    purchaseValueMode: 'net',
    secrets: { PLAUSIBLE_HOST: 'https://plausible.shop.example/' },
    sends: sent(
      'Purchase',
      { revenue: { currency: 'JPY', amount: 1000 }, props: { order_id: 'A-2', tax: '250' } },
      'https://plausible.shop.example',
    ),
  }),
  example('a page view', {
    event: { eventName: 'PageView', pageUrl, data: { value: 5, currency: 'EUR', plan: 'gold' } },
    user,
    sends: sent('pageview', { props: { plan: 'gold' } }),
  }),
  ...Object.keys(others).map((eventName) =>
    example(`${eventName} with a cart`, {
      event: { eventName, pageUrl, data: cart },
      user,
      sends: sent(eventName, { revenue, props: { item_ids: 'sku-1' } }),
    }),
  ),
  example('a search', {
    event: { eventName: 'Search', pageUrl, data: { search: 'red shoes' } },
    user,
    sends: sent('Search', { props: { search: 'red shoes' } }),
  }),
  example('a refund is a custom event', {
    event: { eventName: 'Refund', pageUrl, data: { value: 5, currency: 'EUR', orderId: 'A-1001' } },
    user,
    sends: sent('Refund', { revenue: { currency: 'EUR', amount: 5 }, props: { order_id: 'A-1001' } }),
  }),
  ...[{ ip: '81.2.69.142' }, { userAgent: 'Mozilla/5.0' }].map((part) =>
    example(`a visitor of whom only the ${Object.keys(part)[0]} is known`, {
      event: { eventName: 'Purchase', pageUrl, data: cart },
      user: part,
      sends: { skipped: 'identityMissing' as const },
    }),
  ),
  example('an event without a page', {
    event: { eventName: 'Purchase', data: cart },
    user,
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    {
      event: { eventName: 'PageView', pageUrl: 'https://shop.example/' },
      user: { ip: '81.2.69.142', userAgent: 'Mozilla/5.0' },
      secrets,
    },
    { visitor: sentForPerson, email: sentForPerson, customer: sentForPerson },
  ),
]
