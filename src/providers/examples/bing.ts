import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'
import { adaDigests } from '#provider/vendors/exampleDigests.ts'

const names = {
  ViewContent: 'view_item',
  AddToCart: 'add_to_cart',
  RemoveFromCart: 'remove_from_cart',
  InitiateCheckout: 'begin_checkout',
  AddShippingInfo: 'add_shipping_info',
  AddPaymentInfo: 'add_payment_info',
  Purchase: 'purchase',
  Subscribe: 'subscribe_to_newsletter',
  Search: 'search',
  'Quiz finished': 'quiz',
}
const pageTypes: Record<string, string> = {
  ViewContent: 'product',
  AddToCart: 'cart',
  RemoveFromCart: 'cart',
  InitiateCheckout: 'cart',
  Purchase: 'purchase',
  Search: 'searchresults',
}
const secrets = {
  BING_TAG_ID: '97012345',
  BING_API_TOKEN: 'uet-token',
  BING_MAPPED_EVENTS: JSON.stringify(Object.entries(names)),
}
const known = { user: { userId: 'usr_1' }, secrets }
const example = exampleLike(known)

/** The expected requests of an example with the input `known`. The arguments: the fields that its event adds. */
function sent(event: object, more: object = {}) {
  return [
    {
      url: 'https://capi.uet.microsoft.com/v1/97012345/events',
      headers: { 'content-type': 'application/json', authorization: 'Bearer uet-token' },
      body: {
        data: [{ ...event, eventId: 'evt-1', eventTime: 1_700_000_000, userData: { externalId: 'usr_1' }, ...more }],
        dataProvider: 'Aglet',
        continueOnValidationError: true,
      },
    },
  ]
}
const custom = (eventName: string) => ({ eventType: 'custom', eventName })

const ofCart = {
  value: 59.98,
  currency: 'EUR',
  itemIds: ['sku-1'],
  items: [{ id: 'sku-1', name: 'Runner', price: 29.99, quantity: 2 }],
  ecommTotalValue: 59.98,
}

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  {
    url: 'https://capi.uet.microsoft.com/v1/97012345/events',
    headers: { 'content-type': 'application/json', authorization: 'Bearer uet-token' },
    body: {
      data: [
        {
          eventType: 'pageLoad',
          eventId: 'evt-1',
          eventTime: 1700000000,
          eventSourceUrl: 'https://shop.example/',
          userData: { ...person },
        },
      ],
      dataProvider: 'Aglet',
      continueOnValidationError: true,
    },
  },
]

export const examples: readonly ProviderExample[] = [
  ...Object.entries(names).map(([eventName, name]) => {
    const pageType = pageTypes[eventName]
    return example(`${eventName} with the items of the cart`, {
      event: { eventName, data: cart },
      sends: sent(custom(name), { customData: { ...ofCart, ...(pageType && { pageType }) } }),
    })
  }),
  example('a page view is a page load, which has no name', {
    event: {
      eventName: 'PageView',
      pageUrl: 'https://shop.example/',
      pageTitle: 'Shop',
      referrer: 'https://www.bing.com/',
    },
    consent: { advertising: 'granted' },
    sends: sent(
      { eventType: 'pageLoad' },
      {
        eventSourceUrl: 'https://shop.example/',
        pageTitle: 'Shop',
        referrerUrl: 'https://www.bing.com/',
        adStorageConsent: 'G',
      },
    ),
  }),
  example('a purchase, net, by a person with all keys', {
    event: {
      eventName: 'Purchase',
      pageUrl: 'https://shop.example/thanks',
      data: { value: 119, tax: 19, shipping: 4.95, currency: 'EUR', orderId: 'A-1001' },
    },
    user: ada,
    captured: { msclkid: 'click-1', _uetmsclkid: '_uetclick-0', _uetvid: '5d1f0c2e8f4a11ee9a3b0242ac120002' },
    purchaseValueMode: 'net',
    sends: sent(custom('purchase'), {
      eventSourceUrl: 'https://shop.example/thanks',
      userData: {
        em: adaDigests.canonicalMailbox,
        ph: adaDigests.phoneE164,
        externalId: 'customer-1',
        clientIpAddress: '81.2.69.142',
        clientUserAgent: 'Mozilla/5.0',
        anonymousId: '5d1f0c2e8f4a11ee9a3b0242ac120002',
        msclkid: 'click-1',
      },
      customData: { value: 95.05, currency: 'EUR', transactionId: 'A-1001', pageType: 'purchase' },
    }),
  }),
  example('a purchase in a currency without decimals, with the cookie of the click, without consent', {
    event: { eventName: 'Purchase', data: { value: 6000, currency: 'JPY' } },
    captured: { _uetmsclkid: '_uetclick-0' },
    consent: { advertising: 'denied', analytics: 'granted' },
    sends: sent(custom('purchase'), {
      adStorageConsent: 'D',
      userData: { msclkid: 'click-0' },
      customData: { value: 6000, currency: 'JPY', pageType: 'purchase' },
    }),
    user: undefined,
  }),
  example('a search of a person who agreed to advertising, and not to ads that are chosen for them', {
    event: { eventName: 'Search', data: { search: 'red shoes' } },
    consent: { advertising: 'granted', adPersonalization: 'denied' },
    sends: sent(custom('search'), {
      adStorageConsent: 'G',
      customData: { searchTerm: 'red shoes', pageType: 'searchresults' },
    }),
  }),
  example('a search', {
    event: { eventName: 'Search', data: { search: 'red shoes' } },
    sends: sent(custom('search'), { customData: { searchTerm: 'red shoes', pageType: 'searchresults' } }),
  }),
  example('an event that is not mapped is not sent', {
    event: { eventName: 'Lead', data: cart },
    sends: { skipped: 'filtered' },
  }),
  example('without a token of the Conversions API nothing is sent', {
    event: { eventName: 'Purchase', data: cart },
    secrets: {
      BING_TAG_ID: secrets.BING_TAG_ID,
      BING_MAPPED_EVENTS: secrets.BING_MAPPED_EVENTS,
      BING_API_TOKEN: undefined,
    },
    sends: { skipped: 'filtered' },
  }),
  example('a person of whom only the country is known', {
    event: { eventName: 'Purchase', data: cart },
    user: { country: 'DE' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'PageView', pageUrl: 'https://shop.example/' }, secrets },
    {
      visitor: sentForPerson({ externalId: 'usr_1' }),
      email: sentForPerson({ em: adaDigests.canonicalMailbox, externalId: 'usr_1' }),
      customer: sentForPerson({ em: adaDigests.canonicalMailbox, externalId: 'customer-1' }),
    },
  ),
]
