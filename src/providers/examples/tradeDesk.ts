import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const names = {
  PageView: 'sitevisit',
  ViewContent: 'viewitem',
  AddToCart: 'addtocart',
  InitiateCheckout: 'startcheckout',
  Purchase: 'purchase',
  Subscribe: 'subscribe',
  Search: 'search',
  Lead: 'lead',
  AddToWishlist: 'wishlistitem',
  ViewCart: 'viewcart',
}
const tdid = '5a3c2f0e-1111-4222-8333-944455556666'
const secrets = { TRADE_DESK_ADVERTISER_ID: 'abc1def', TRADE_DESK_TRACKER_ID: 'trk42' }
const known = { captured: { TDID: tdid }, secrets }
const example = exampleLike(known)
const items = [{ item_code: 'sku-1', name: 'Runner', qty: 2, price: 29.99, cat: 'Shoes' }]

/** The request for one event of a person with the cookie. */
function sent(event_name: string, more: object = {}, account: object = { adv: 'abc1def', tracker_id: 'trk42' }) {
  return [
    {
      url: 'https://insight.adsrvr.org/track/realtimeconversion',
      headers: { 'content-type': 'application/json' },
      body: { data: [{ ...account, event_name, imp: 'evt-1', adid: tdid, adid_type: 'TDID', ...more }] },
    },
  ]
}

/** The requests, the same for each of the three people. */
const sentForPerson = [
  like(sent('lead')[0]!, { body: { data: [{ adid: undefined, adid_type: undefined, client_ip: '81.2.69.142' }] } }),
]

export const examples: readonly ProviderExample[] = [
  example('a purchase after an impression, with a field of the advertiser', {
    event: {
      eventName: 'Purchase',
      pageUrl: 'https://shop.example/thanks',
      referrer: 'https://shop.example/checkout',
      data: { ...cart, orderId: 'A-1001', td1: 'gold', td2: 7 },
    },
    user: ada,
    captured: { TDID: tdid, ttdimp: 'imp-1' },
    sends: sent('purchase', {
      value: 59.98,
      currency: 'EUR',
      order_id: 'A-1001',
      imp: 'imp-1',
      client_ip: '81.2.69.142',
      referrer_url: 'https://shop.example/thanks',
      items,
      td1: 'gold',
    }),
  }),
  ...Object.entries(names).map(([eventName, name]) =>
    example(`${eventName} with the items of the cart`, {
      event: { eventName, data: cart },
      sends: sent(name, { value: 59.98, currency: 'EUR', items }),
    }),
  ),
  example('a lead of a person whose banner wrote a TC string and a GPP string', {
    event: { eventName: 'Lead' },
    consent: { strings: { tcf: 'CQtc', gdprApplies: true, gpp: 'DBAA~B', gppSections: [7] } },
    sends: sent('lead', {
      privacy_settings: [
        { privacy_type: 'GDPR', is_applicable: 1, consent_string: 'CQtc' },
        { privacy_type: 'GPP', is_applicable: 1, consent_string: 'DBAA~B' },
      ],
    }),
  }),
  ...[
    { says: 'by the section of California', gppSections: [7, 8], state: undefined, region: 'US-CA' },
    { says: 'by the state of the person', gppSections: [7], state: 'Colorado', region: 'US-CO' },
  ].map(({ says, gppSections, state, region }) =>
    example(`a lead of a person who opted out of sale, ${says}`, {
      event: { eventName: 'Lead' },
      ...(state && { user: { state, country: 'US' } }),
      consent: { advertising: 'denied', strings: { gpp: 'DBAA~B', gppSections } },
      sends: sent('lead', {
        privacy_settings: [{ privacy_type: 'GPP', is_applicable: 1, consent_string: 'DBAA~B' }],
        data_processing_option: { policies: ['LDU'], region },
      }),
    }),
  ),
  example('a lead of a person who opted out of sale in a state that is not known', {
    event: { eventName: 'Lead' },
    consent: { advertising: 'denied', strings: { gpp: 'DBAA~B', gppSections: [7] } },
    sends: { skipped: 'consent' },
  }),
  example('a purchase in yen, net, for a merchant with the universal pixel, of an IP address alone', {
    event: {
      eventName: 'Purchase',
      referrer: 'https://shop.example/checkout',
      data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-1001' },
    },
    purchaseValueMode: 'net',
    user: { ip: '81.2.69.142' },
    secrets: {
      TRADE_DESK_ADVERTISER_ID: 'abc1def',
      TRADE_DESK_PIXEL_ID: 'up7',
      TRADE_DESK_MERCHANT_ID: '77',
      TRADE_DESK_TRACKER_ID: undefined,
    },
    sends: [
      {
        url: 'https://insight.adsrvr.org/track/realtimeconversion',
        headers: { 'content-type': 'application/json' },
        body: {
          data: [
            {
              merchant_id: '77',
              upixel_id: 'up7',
              event_name: 'purchase',
              value: 1000,
              currency: 'JPY',
              order_id: 'A-1001',
              imp: 'evt-1',
              client_ip: '81.2.69.142',
              referrer_url: 'https://shop.example/checkout',
            },
          ],
        },
      },
    ],
    captured: undefined,
  }),
  example('a custom event', { event: { eventName: 'Quiz finished' }, sends: sent('Quiz finished') }),
  example('an event whose name is mapped', {
    event: { eventName: 'AddPaymentInfo' },
    secrets: { TRADE_DESK_MAPPED_EVENTS: '[["AddPaymentInfo", "paymentinfo"]]' },
    sends: sent('paymentinfo'),
  }),
  example('an event that is mapped to an empty name', {
    event: { eventName: 'PageView' },
    secrets: { TRADE_DESK_MAPPED_EVENTS: '[["PageView", ""]]' },
    sends: { skipped: 'filtered' },
  }),
  ...['RemoveFromCart', 'AddShippingInfo', 'AddPaymentInfo', 'Refund'].map((eventName) =>
    example(`${eventName} without a mapping`, {
      event: { eventName, data: cart },
      sends: { skipped: 'filtered' as const },
    }),
  ),
  example('an e-mail address alone', {
    event: { eventName: 'Purchase', data: cart },
    user: { email: 'ada@example.com' },
    sends: { skipped: 'identityMissing' },
    captured: undefined,
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, user: { ip: '81.2.69.142', userAgent: 'Mozilla/5.0' }, secrets },
    { visitor: sentForPerson, email: sentForPerson, customer: sentForPerson },
  ),
]
