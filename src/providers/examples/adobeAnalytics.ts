import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = { ADOBE_ANALYTICS_TRACKING_SERVER: 'shop.sc.omtrdc.net', ADOBE_ANALYTICS_REPORT_SUITE_ID: 'shopprod' }
const org = '53A16ACB5CC1D3760A495C99@AdobeOrg'
const ecid = '12345678901234567890123456789012345678'
const known = { user: { userId: 'usr_1' }, secrets }
const example = exampleLike(known)

/** The expected request. The members of the XML are in order. */
function sent(members: Readonly<Record<string, string>>) {
  const all = Object.entries({ scXmlVer: '1.0', reportSuiteID: 'shopprod', ...members })
  const xml = all.map(([name, value]) => `<${name}>${value}</${name}>`).join('')
  return [
    {
      url: 'https://shop.sc.omtrdc.net/b/ss//6',
      headers: { 'content-type': 'application/xml', accept: 'application/xml' },
      body: `<?xml version="1.0" encoding="UTF-8"?><request>${xml}</request>`,
    },
  ]
}

const looked = {
  ViewContent: 'prodView',
  AddToCart: 'scAdd',
  RemoveFromCart: 'scRemove',
  InitiateCheckout: 'scCheckout',
  ViewCart: 'scView',
}
const mapped = {
  ...secrets,
  ADOBE_ANALYTICS_MAPPED_EVENTS: '[["Lead", "event12"], ["Quiz finished", "event13,event14"]]',
}

/** The requests, the same for each of the three people. */
const sentForPerson = [
  {
    url: 'https://shop.sc.omtrdc.net/b/ss//6',
    headers: { 'content-type': 'application/xml', accept: 'application/xml' },
    body: '<?xml version="1.0" encoding="UTF-8"?><request><scXmlVer>1.0</scXmlVer><reportSuiteID>shopprod</reportSuiteID><visitorID>usr_1</visitorID><pageURL>https://shop.example/</pageURL></request>',
  },
]

export const examples: readonly ProviderExample[] = [
  example('an order by the Experience Cloud id of the cookie, with the time', {
    event: {
      eventName: 'Purchase',
      pageUrl: 'https://shop.example/thanks?utm_campaign=spring',
      pageTitle: 'Thanks <you> & yours',
      referrer: 'https://shop.example/cart',
      data: { ...cart, orderId: 'A-1001' },
    },
    user: ada,
    captured: { [`AMCV_${org}`]: `179643557%7CMCIDTS%7C19676%7CMCMID%7C${ecid}%7CMCAAMLH-1` },
    secrets: { ADOBE_ANALYTICS_ORG_ID: org, ADOBE_ANALYTICS_TIMESTAMP: '1' },
    sends: sent({
      marketingCloudVisitorID: ecid,
      marketingCloudOrgId: org,
      ipAddress: '81.2.69.142',
      userAgent: 'Mozilla/5.0',
      pageURL: 'https://shop.example/thanks?utm_campaign=spring',
      pageName: 'Thanks &lt;you&gt; &amp; yours',
      referrer: 'https://shop.example/cart',
      linkType: 'o',
      linkName: 'Purchase',
      linkURL: 'https://shop.example/thanks?utm_campaign=spring',
      events: 'purchase',
      products: 'Shoes;sku-1;2;59.98',
      purchaseID: 'A-1001',
      transactionID: 'A-1001',
      currencyCode: 'EUR',
      campaign: 'spring',
      timestamp: '1700000000',
    }),
  }),
  ...Object.entries(looked).map(([eventName, name]) =>
    example(`${eventName} with its products`, {
      event: { eventName, data: cart },
      sends: sent({
        visitorID: 'usr_1',
        linkType: 'o',
        linkName: eventName,
        events: name,
        products: 'Shoes;sku-1',
        currencyCode: 'EUR',
      }),
    }),
  ),
  example('an order in yen, net, without items, with a long id, by the fallback id of the page code', {
    event: {
      eventName: 'Purchase',
      data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'order-2023-11-14-000001' },
    },
    user: { userId: 'usr_1' },
    captured: { s_fid: '0123456789ABCDEF-FEDCBA9876543210' },
    purchaseValueMode: 'net',
    sends: sent({
      fallbackVisitorId: '0123456789ABCDEF-FEDCBA9876543210',
      linkType: 'o',
      linkName: 'Purchase',
      events: 'purchase',
      products: ';Order;1;1000',
      // The beginning of the SHA-1 of the order id.
      purchaseID: '2dff7eb8178c6ffe5aa9',
      transactionID: 'order-2023-11-14-000001',
      currencyCode: 'JPY',
    }),
  }),
  example('separators are taken out of the values of a product', {
    event: {
      eventName: 'Purchase',
      data: {
        currency: 'EUR',
        value: 3,
        orderId: 'A-1',
        contents: [{ id: 'a;b', category: 'x|y,z', item_price: 0.1, quantity: 3 }, { title: 'Gift' }],
      },
    },
    sends: sent({
      visitorID: 'usr_1',
      linkType: 'o',
      linkName: 'Purchase',
      events: 'purchase',
      products: 'x y z;a b;3;0.3,;Gift;1;',
      purchaseID: 'A-1',
      transactionID: 'A-1',
      currencyCode: 'EUR',
    }),
  }),
  example('an order whose prices are not known has its value as one product more', {
    event: { eventName: 'Purchase', data: { value: 20, currency: 'EUR', contents: [{ id: 'a' }, { id: 'b' }] } },
    sends: sent({
      visitorID: 'usr_1',
      linkType: 'o',
      linkName: 'Purchase',
      events: 'purchase',
      products: ';a;1;,;b;1;,;Order;1;20',
      currencyCode: 'EUR',
    }),
  }),
  example('an order of more than 100 products has the others as one', {
    event: {
      eventName: 'Purchase',
      data: {
        value: 204,
        currency: 'EUR',
        contents: Array.from({ length: 102 }, () => ({ id: 'a', item_price: 1, quantity: 2 })),
      },
    },
    sends: sent({
      visitorID: 'usr_1',
      linkType: 'o',
      linkName: 'Purchase',
      events: 'purchase',
      products: `${';a;2;2,'.repeat(100)};Order;4;4`,
      currencyCode: 'EUR',
    }),
  }),
  example('a page view is no link; the id came with a link from another site of the organisation', {
    event: { eventName: 'PageView', pageUrl: 'https://shop.example/', pageTitle: 'Shop' },
    captured: { adobe_mc: `MCMID=${ecid}|MCORGID=${org}|TS=1700000000` },
    sends: sent({
      marketingCloudVisitorID: ecid,
      marketingCloudOrgId: org,
      pageURL: 'https://shop.example/',
      pageName: 'Shop',
    }),
    user: undefined,
  }),
  example('a lead under the event of the report suite', {
    event: { eventName: 'Lead', data: { value: 10, currency: 'USD' } },
    user: { ip: '81.2.69.142', userAgent: 'Mozilla/5.0' },
    secrets: mapped,
    sends: sent({
      ipAddress: '81.2.69.142',
      userAgent: 'Mozilla/5.0',
      linkType: 'o',
      linkName: 'Lead',
      events: 'event12',
      currencyCode: 'USD',
    }),
  }),
  example('a custom event under two events of the report suite', {
    event: { eventName: 'Quiz finished' },
    user: { userId: 'usr_1' },
    secrets: mapped,
    sends: sent({ visitorID: 'usr_1', linkType: 'o', linkName: 'Quiz finished', events: 'event13,event14' }),
  }),
  example('an event that is not mapped', {
    event: { eventName: 'Search', data: { search: 'shoes' } },
    sends: { skipped: 'filtered' },
  }),
  example('an order of nobody', {
    event: { eventName: 'Purchase', data: cart },
    user: { userId: 'ada@example.com', ip: '81.2.69.142' },
    captured: { [`AMCV_${org}`]: 'MCMID|7' },
    sends: { skipped: 'identityMissing' },
  }),
  example('a page view without its page', { event: { eventName: 'PageView' }, sends: { skipped: 'payloadRefused' } }),
  ...ofEachPerson(
    { event: { eventName: 'PageView', pageUrl: 'https://shop.example/' }, secrets },
    { visitor: sentForPerson, email: sentForPerson, customer: sentForPerson },
  ),
]
