import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'
import { adaDigests } from '#provider/vendors/exampleDigests.ts'

const names = {
  PageView: 'viewPage',
  ViewContent: 'viewItem',
  AddToCart: 'addToCart',
  InitiateCheckout: 'beginCheckout',
  AddPaymentInfo: 'addPaymentInfo',
  Purchase: 'trackTransaction',
  Search: 'viewList',
  Login: 'login',
  ViewCart: 'viewBasket',
  ViewItemList: 'viewList',
}
const secrets = { CRITEO_PARTNER_ID: '12345' }
const example = exampleLike({ secrets })
const email = {
  // The digests of ada.lovelace@gmail.com; the third is the SHA-256 of the first.
  md5: 'a74a8adc7dce390b251b827ac43dceb3',
  sha256: '894ac26ea616dec861df81a6efb2ddfc30c3f1cb72b219a17242d8244e66c125',
  sha256_md5: '050b64205cca282021eb87e8bd4dca3321aa0c5b8de1f24d265f8af5df36260b',
}
const item = [{ id: 'sku-1', price: 29.99, quantity: 2 }]

/** The request for one event; the arguments differ between the examples. */
function sent(event: string, more: object, body: object, host = 'widget.criteo.com') {
  const ofPage = event === 'viewPage' ? { deduplication_page_view_id: 'evt-1' } : {}
  return [
    {
      url: `https://${host}/m/event?version=s2s_v0`,
      headers: { 'content-type': 'application/json' },
      body: {
        account: '12345',
        version: 's2s_v1.0.0',
        site_type: 'd',
        ...body,
        events: [{ event, timestamp: '2023-11-14T22:13:20.000Z', ...ofPage, ...more }],
      },
    },
  ]
}

/** The requests, the same for each of the three people. */
const sentForPerson = [
  {
    url: 'https://widget.criteo.com/m/event?version=s2s_v0',
    headers: { 'content-type': 'application/json' },
    body: {
      account: '12345',
      version: 's2s_v1.0.0',
      site_type: 'd',
      id: {
        email: {
          md5: 'a74a8adc7dce390b251b827ac43dceb3',
          sha256: adaDigests.email,
          sha256_md5: '050b64205cca282021eb87e8bd4dca3321aa0c5b8de1f24d265f8af5df36260b',
        },
      },
      full_url: 'https://shop.example/',
      retailer_visitor_id: 'usr_1',
      events: [{ event: 'viewPage', timestamp: '2023-11-14T22:13:20.000Z', deduplication_page_view_id: 'evt-1' }],
    },
  },
]

export const examples: readonly ProviderExample[] = [
  example('a purchase by a person with all keys, whom Criteo knows', {
    event: {
      eventName: 'Purchase',
      pageUrl: 'https://shop.example/thanks',
      referrer: 'https://shop.example/checkout',
      data: { ...cart, orderId: 'A-1001' },
    },
    user: ada,
    captured: { crto_mapped_user_id: 'gum-1' },
    secrets: { CRITEO_CALLER_ID: '99', CRITEO_COUNTRY: 'DE', CRITEO_LANGUAGE: 'de' },
    sends: sent(
      'trackTransaction',
      { id: 'A-1001', currency: 'EUR', item },
      {
        id: { mapping_key: '99', mapped_user_id: 'gum-1', email },
        full_url: 'https://shop.example/thanks',
        previous_url: 'https://shop.example/checkout',
        retailer_visitor_id: 'usr_1',
        ip: '81.2.69.142',
        useragent: 'Mozilla/5.0',
        country: 'DE',
        language: 'de',
      },
    ),
  }),
  ...Object.entries(names).map(([eventName, name]) =>
    example(`${eventName} with the items of the cart, by e-mail alone`, {
      event: { eventName, data: { ...cart, orderId: 'A-1001' } },
      user: { email: ada.email },
      captured: { crto_mapped_user_id: 'gum-1' },
      sends: sent(
        name,
        { ...(name === 'trackTransaction' && { id: 'A-1001' }), currency: 'EUR', item },
        { id: { email } },
      ),
    }),
  ),
  example('a purchase in yen without an order id, on a phone, of a customer whose hash is known, in Asia', {
    event: {
      eventName: 'Purchase',
      data: { value: 1250, currency: 'JPY', contents: [{ id: 'a', item_price: 1250 }, { title: 'without an id' }] },
    },
    user: { email: email.sha256, userAgent: 'Mozilla/5.0 (iPhone) Mobile/15E148' },
    secrets: { CRITEO_REGION: 'as' },
    sends: sent(
      'trackTransaction',
      { id: 'evt-1', currency: 'JPY', item: [{ id: 'a', price: 1250, quantity: 1 }] },
      { site_type: 'm', id: { email: { sha256: email.sha256 } }, useragent: 'Mozilla/5.0 (iPhone) Mobile/15E148' },
      'widget.as.criteo.com',
    ),
  }),
  example('a purchase of half a metre: one piece at the price of that length', {
    event: {
      eventName: 'Purchase',
      data: { value: 4.5, currency: 'EUR', orderId: 'A-1', contents: [{ id: 'cloth', quantity: 0.5, item_price: 9 }] },
    },
    user: { email: ada.email },
    sends: sent(
      'trackTransaction',
      { id: 'A-1', currency: 'EUR', item: [{ id: 'cloth', price: 4.5, quantity: 1 }] },
      { id: { email } },
    ),
  }),
  example('a page view on a tablet, by the id of Criteo alone', {
    event: { eventName: 'PageView' },
    user: { userAgent: 'Mozilla/5.0 (Linux; Android 14) Safari' },
    captured: { crto_mapped_user_id: 'gum-1' },
    secrets: { CRITEO_CALLER_ID: '99' },
    sends: sent(
      'viewPage',
      {},
      {
        site_type: 't',
        id: { mapping_key: '99', mapped_user_id: 'gum-1' },
        useragent: 'Mozilla/5.0 (Linux; Android 14) Safari',
      },
    ),
  }),
  ...['RemoveFromCart', 'AddShippingInfo', 'Subscribe', 'Lead', 'Refund', 'Quiz finished'].map((eventName) =>
    example(`Criteo has no event for ${eventName}`, {
      event: { eventName, data: cart },
      user: ada,
      sends: { skipped: 'eventNotSupported' as const },
    }),
  ),
  example('a person who opted out at Criteo', {
    event: { eventName: 'Purchase', data: cart },
    user: ada,
    captured: { crto_is_user_optout: 'true' },
    sends: { skipped: 'consent' },
  }),
  example('the id of Criteo without the caller id', {
    event: { eventName: 'Purchase', data: cart },
    captured: { crto_mapped_user_id: 'gum-1' },
    sends: { skipped: 'identityMissing' },
  }),
  example('a person without an e-mail address', {
    event: { eventName: 'Purchase', data: cart },
    user: { userId: 'usr_1', ip: '81.2.69.142', userAgent: 'Mozilla/5.0' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'PageView', pageUrl: 'https://shop.example/' }, secrets },
    { visitor: { skipped: 'identityMissing' }, email: sentForPerson, customer: sentForPerson },
  ),
]
