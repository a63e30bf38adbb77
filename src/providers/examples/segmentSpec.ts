import type { ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const names = {
  InitiateCheckout: 'Checkout Started',
  AddShippingInfo: 'Checkout Step Completed',
  AddPaymentInfo: 'Payment Info Entered',
  Subscribe: 'Subscribe',
  Lead: 'Lead',
  CompleteRegistration: 'Signed Up',
  StartTrial: 'Trial Started',
  Login: 'Signed In',
  ViewCart: 'Cart Viewed',
  ViewItemList: 'Product List Viewed',
  ViewPromotion: 'Promotion Viewed',
  SelectPromotion: 'Promotion Clicked',
}
const ofOne = {
  ViewContent: 'Product Viewed',
  AddToCart: 'Product Added',
  RemoveFromCart: 'Product Removed',
  AddToWishlist: 'Product Added to Wishlist',
  SelectItem: 'Product Clicked',
}
const product = {
  product_id: 'sku-1',
  name: 'Runner',
  price: 29.99,
  quantity: 2,
  category: 'Shoes',
  variant: 'red',
}
const user = { userId: 'usr_1', customerId: 'customer-1' }
const thanks = 'https://shop.example/thanks?utm_source=news&utm_medium=mail&utm_campaign=may&utm_term=t&utm_content=c'

/** An expected call: its path and its body. */
export type ExpectedCall = { path: string; body: object }

const call = (path: string, members: object, common: object = {}): ExpectedCall => ({
  path,
  body: {
    messageId: 'evt-1',
    timestamp: '2023-11-14T22:13:20.000Z',
    userId: 'customer-1',
    anonymousId: 'usr_1',
    context: {},
    ...members,
    ...common,
  },
})
const track = (event: string, properties: object, more: object = {}) => call('track', { event, properties, ...more })

const purchase = {
  title: 'a purchase of a known person',
  event: {
    eventName: 'Purchase',
    pageUrl: thanks,
    pageTitle: 'Thanks',
    referrer: 'https://shop.example/cart',
    data: {
      ...cart,
      contents: [
        { ...cart.contents[0], sku: 'S-1', brand: 'Acme', url: 'https://shop.example/1', image: 'https://i.example/1' },
      ],
      orderId: 'A-1001',
      tax: 9.58,
      shipping: 4.9,
      discounts: [{ code: 'SPRING', type: 'FLAT', value: 5 }],
    },
  },
  user: ada,
  calls: [
    track(
      'Order Completed',
      {
        order_id: 'A-1001',
        revenue: 59.98,
        value: 59.98,
        total: 59.98,
        currency: 'EUR',
        coupon: 'SPRING',
        tax: 9.58,
        shipping: 4.9,
        products: [
          { ...product, sku: 'S-1', brand: 'Acme', url: 'https://shop.example/1', image_url: 'https://i.example/1' },
        ],
      },
      {
        context: {
          ip: '81.2.69.142',
          userAgent: 'Mozilla/5.0',
          page: {
            url: thanks,
            title: 'Thanks',
            referrer: 'https://shop.example/cart',
            search: thanks.slice(thanks.indexOf('?')),
            path: '/thanks',
          },
          traits: { email: 'ada.lovelace@gmail.com', phone: '+491701234567' },
          campaign: { source: 'news', medium: 'mail', name: 'may', term: 't', content: 'c' },
        },
      },
    ),
  ],
}

const added = [
  { id: 'a', item_price: 1.1, quantity: 3 },
  { id: 'b', quantity: 1 },
]

/** The examples of a vendor that accepts Segment's calls. `toSends` converts the calls to the expected requests. */
export const segmentExamples = (
  secrets: ProviderExample['secrets'],
  toSends: (calls: readonly ExpectedCall[]) => ProviderExample['sends'],
): readonly ProviderExample[] =>
  [
    purchase,
    {
      title: 'a purchase in yen, net',
      event: { eventName: 'Purchase', data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-2' } },
      purchaseValueMode: 'net' as const,
      calls: [
        track('Order Completed', {
          order_id: 'A-2',
          revenue: 1000,
          value: 1000,
          total: 1000,
          currency: 'JPY',
          tax: 250,
        }),
      ],
    },
    {
      title: 'a refund',
      event: { eventName: 'Refund', data: { value: 5, currency: 'EUR', orderId: 'A-1001' } },
      calls: [track('Order Refunded', { order_id: 'A-1001', value: 5, total: 5, currency: 'EUR' })],
    },
    {
      title: 'a page view',
      event: { eventName: 'PageView', pageUrl: 'https://shop.example/a?b=1', pageTitle: 'A', data: { plan: 'gold' } },
      calls: [pageCall()],
    },
    ...Object.entries(ofOne).map(([eventName, event]) => ({
      title: `${eventName} of one product`,
      event: { eventName, data: cart },
      calls: [track(event, { ...product, value: 59.98, currency: 'EUR' })],
    })),
    {
      title: 'two products that are added at once are a call each',
      event: { eventName: 'AddToCart', data: { value: 9, currency: 'EUR', contents: added } },
      calls: [
        track('Product Added', { product_id: 'a', price: 1.1, quantity: 3, value: 3.3, currency: 'EUR' }),
        track('Product Added', { product_id: 'b', quantity: 1, currency: 'EUR' }, { messageId: 'evt-1:2' }),
      ],
    },
    {
      title: 'twelve products that are viewed at once are one request of a call each',
      event: { eventName: 'ViewContent', data: { contents: Array.from({ length: 12 }, (_, n) => ({ id: `p${n}` })) } },
      calls: [
        {
          path: 'batch',
          body: {
            batch: Array.from({ length: 12 }, (_, n) => ({
              type: 'track',
              ...track('Product Viewed', { product_id: `p${n}` }, n ? { messageId: `evt-1:${n + 1}` } : {}).body,
            })),
          },
        },
      ],
    },
    ...Object.entries(names).map(([eventName, event]) => ({
      title: `${eventName} with a cart`,
      event: { eventName, data: cart },
      calls: [track(event, { value: 59.98, currency: 'EUR', products: [product] })],
    })),
    {
      title: 'a search',
      event: { eventName: 'Search', data: { search: 'red shoes' } },
      calls: [track('Products Searched', { query: 'red shoes' })],
    },
    {
      title: 'a custom event with a long id',
      event: { eventName: 'Quiz finished', eventId: 'x'.repeat(120), data: { score: 7 } },
      calls: [track('Quiz finished', { score: 7 }, { messageId: '80280cda-8914-55b0-8540-3c296bdf222d' })],
    },
    {
      title: 'a visitor with the anonymous id of a link',
      event: { eventName: 'Lead' },
      user: {},
      captured: { ajs_aid: 'anon-1' },
      calls: [track('Lead', {}, { userId: undefined, anonymousId: 'anon-1' })],
    },
    {
      title: 'a person without an id',
      event: { eventName: 'Purchase', data: cart },
      user: { email: 'ada@example.com' },
      calls: [],
    },
  ].map(({ calls, ...example }) => ({
    user,
    ...example,
    secrets,
    sends: calls.length > 0 ? toSends(calls) : { skipped: 'identityMissing' as const },
  }))

function pageCall(): ExpectedCall {
  const page = { url: 'https://shop.example/a?b=1', title: 'A', search: '?b=1', path: '/a' }
  return call('page', { properties: { plan: 'gold', ...page }, context: { page } })
}

/** A copy without its undefined members. */
export const defined = (value: object): object => JSON.parse(JSON.stringify(value))
