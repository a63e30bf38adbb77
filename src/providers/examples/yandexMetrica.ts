import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = { YANDEX_METRICA_COUNTER_ID: '12345678', YANDEX_METRICA_TOKEN: 'token-1' }
const example = exampleLike({ captured: { _ym_uid: '1710232430899999999' }, secrets })
const product = { pr1id: 'sku-1', pr1nm: 'Runner', pr1pr: '29.99', pr1qt: '2', pr1ca: 'Shoes' }

/** The expected request. */
const sent = (form: object) => [
  {
    url: 'https://mc.yandex.ru/collect',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: { tid: '12345678', ms: 'token-1', cid: '1710232430899999999', t: 'event', et: '1700000000', ...form },
  },
]
const looked = { ViewContent: 'detail', AddToCart: 'add', RemoveFromCart: 'remove' }
const goals = ['InitiateCheckout', 'AddShippingInfo', 'AddPaymentInfo', 'Subscribe', 'Search', 'Lead']

/** The requests, the same for each of the three people. */
const sentForPerson = [
  {
    url: 'https://mc.yandex.ru/collect',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: { tid: '12345678', ms: 'token-1', cid: '1710232430899999999', t: 'event', et: '1700000000', ea: 'Lead' },
  },
]

export const examples: readonly ProviderExample[] = [
  example('an order', {
    event: {
      eventName: 'Purchase',
      pageUrl: 'https://shop.example/thanks',
      pageTitle: 'Thanks',
      referrer: 'https://shop.example/cart',
      data: { ...cart, orderId: 'A-1001', discounts: [{ code: 'SPRING' }], gift: true },
    },
    user: ada,
    sends: sent({
      dl: 'https://shop.example/thanks',
      dr: 'https://shop.example/cart',
      dt: 'Thanks',
      pa: 'purchase',
      ti: 'A-1001',
      tr: '59.98',
      tcc: 'SPRING',
      cu: 'EUR',
      ...product,
      params: '{"gift":true}',
    }),
  }),
  example('an order in yen, net, of two items', {
    event: {
      eventName: 'Purchase',
      data: {
        value: 1250,
        tax: 250,
        currency: 'JPY',
        contents: [
          { sku: 'S1', item_price: 500, brand: 'Acme' },
          { id: 'b', item_price: 250, quantity: 2 },
        ],
      },
    },
    purchaseValueMode: 'net',
    sends: sent({
      pa: 'purchase',
      ti: 'evt-1',
      tr: '1000',
      cu: 'JPY',
      pr1id: 'S1',
      pr1pr: '500',
      pr1qt: '1',
      pr1br: 'Acme',
      pr2id: 'b',
      pr2pr: '250',
      pr2qt: '2',
    }),
  }),
  ...Object.entries(looked).map(([eventName, pa]) =>
    example(`${eventName} with its products`, {
      event: { eventName, data: cart },
      sends: sent({ pa, cu: 'EUR', ...product }),
    }),
  ),
  ...goals.map((eventName) =>
    example(`${eventName} reaches the goal of its name`, {
      event: { eventName, data: cart },
      sends: sent({ ea: eventName }),
    }),
  ),
  example('a page view', {
    event: { eventName: 'PageView', pageUrl: 'https://shop.example/', pageTitle: 'Shop', referrer: '' },
    sends: sent({ t: 'pageview', dl: 'https://shop.example/', dr: '', dt: 'Shop' }),
  }),
  example('a custom event is a goal, even one that is called as an action of the vendor', {
    event: { eventName: 'detail', data: { score: 7 } },
    sends: sent({ ea: 'detail', params: '{"score":7}' }),
  }),
  example('an order of a visitor whom the page code does not know', {
    event: { eventName: 'Purchase', data: cart },
    user: ada,
    sends: { skipped: 'identityMissing' },
    captured: undefined,
  }),
  example('a cookie that is no number', {
    event: { eventName: 'Purchase', data: cart },
    captured: { _ym_uid: 'x' },
    sends: { skipped: 'identityMissing' },
  }),
  example('a page view without its page', { event: { eventName: 'PageView' }, sends: { skipped: 'payloadRefused' } }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, captured: { _ym_uid: '1710232430899999999' }, secrets },
    { visitor: sentForPerson, email: sentForPerson, customer: sentForPerson },
  ),
]
