import { ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = { YANDEX_METRICA_COUNTER_ID: '12345678', YANDEX_METRICA_TOKEN: 'token-1' }
const known = { captured: { _ym_uid: '1710232430899999999' }, secrets }
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

/** The requests for any of the three people. */
const sentForPerson = [
  {
    url: 'https://mc.yandex.ru/collect',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: { tid: '12345678', ms: 'token-1', cid: '1710232430899999999', t: 'event', et: '1700000000', ea: 'Lead' },
  },
]

export const examples: readonly ProviderExample[] = [
  {
    title: 'an order',
    event: {
      eventName: 'Purchase',
      pageUrl: 'https://shop.example/thanks',
      pageTitle: 'Thanks',
      referrer: 'https://shop.example/cart',
      data: { ...cart, orderId: 'A-1001', discounts: [{ code: 'SPRING' }], gift: true },
    },
    user: ada,
    ...known,
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
  },
  {
    title: 'an order in yen, net, of two items',
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
    ...known,
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
  },
  ...Object.entries(looked).map(([eventName, pa]) => ({
    title: `${eventName} with its products`,
    event: { eventName, data: cart },
    ...known,
    sends: sent({ pa, cu: 'EUR', ...product }),
  })),
  ...goals.map((eventName) => ({
    title: `${eventName} reaches the goal of its name`,
    event: { eventName, data: cart },
    ...known,
    sends: sent({ ea: eventName }),
  })),
  {
    title: 'a page view',
    event: { eventName: 'PageView', pageUrl: 'https://shop.example/', pageTitle: 'Shop', referrer: '' },
    ...known,
    sends: sent({ t: 'pageview', dl: 'https://shop.example/', dr: '', dt: 'Shop' }),
  },
  {
    title: 'a custom event is a goal, even one that is called as an action of the vendor',
    event: { eventName: 'detail', data: { score: 7 } },
    ...known,
    sends: sent({ ea: 'detail', params: '{"score":7}' }),
  },
  {
    title: 'an order of a visitor whom the page code does not know',
    event: { eventName: 'Purchase', data: cart },
    user: ada,
    secrets,
    sends: { skipped: 'identityMissing' },
  },
  {
    title: 'a cookie that is no number',
    event: { eventName: 'Purchase', data: cart },
    captured: { _ym_uid: 'x' },
    secrets,
    sends: { skipped: 'identityMissing' },
  },
  {
    title: 'a page view without its page',
    event: { eventName: 'PageView' },
    ...known,
    sends: { skipped: 'payloadRefused' },
  },
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, captured: { _ym_uid: '1710232430899999999' }, secrets },
    { visitor: sentForPerson, email: sentForPerson, customer: sentForPerson },
  ),
]
