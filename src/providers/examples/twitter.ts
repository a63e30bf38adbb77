import { type ExpectedHeaders, exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'
import { adaDigests } from '#provider/vendors/exampleDigests.ts'

const mapped = {
  TWITTER_PIXEL_ID: 'o8z6j',
  TWITTER_MAPPED_EVENTS: '[["Purchase","tw-o8z6j-o9abc"],["Quiz finished","o87ne"]]',
}
const secrets = { ...mapped, TWITTER_PIXEL_TOKEN: 'pixel-token' }
const example = exampleLike({ secrets })

/** The expected requests; the arguments differ between the examples. */
function sent(conversion: object, headers: ExpectedHeaders) {
  const conversion_time = '2023-11-14T22:13:20.000Z'
  return [
    {
      url: 'https://ads-api.x.com/12/measurement/conversions/o8z6j',
      headers: { 'content-type': 'application/json', ...headers },
      body: { conversions: [{ conversion_time, conversion_id: 'evt-1', ...conversion }] },
    },
  ]
}

/** The requests, the same for each of the three people. */
const sentForPerson = [
  {
    url: 'https://ads-api.x.com/12/measurement/conversions/o8z6j',
    headers: { 'content-type': 'application/json', 'x-pixel-token': 'pixel-token' },
    body: {
      conversions: [
        {
          conversion_time: '2023-11-14T22:13:20.000Z',
          event_id: 'tw-o8z6j-o9abc',
          conversion_id: 'evt-1',
          identifiers: [{ hashed_email: adaDigests.email }],
          value: '59.98',
          price_currency: 'EUR',
          number_items: 2,
          contents: [{ content_id: 'sku-1', content_name: 'Runner', content_price: '29.99', num_items: 2 }],
        },
      ],
    },
  },
]

export const examples: readonly ProviderExample[] = [
  example('a purchase by a person with all keys', {
    event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } },
    user: ada,
    captured: { twclid: '26l6412g5p4iyj65a2oic2ayg2' },
    sends: sent(
      {
        event_id: 'tw-o8z6j-o9abc',
        identifiers: [
          { hashed_email: '894ac26ea616dec861df81a6efb2ddfc30c3f1cb72b219a17242d8244e66c125' },
          { hashed_phone_number: 'b4267a2234e2072fa4d2e8d89fbe727c50fc414731d6ecacc2ed3d00f05038d1' },
          { twclid: '26l6412g5p4iyj65a2oic2ayg2' },
          { ip_address: '81.2.69.142', user_agent: 'Mozilla/5.0' },
        ],
        value: '59.98',
        price_currency: 'EUR',
        number_items: 2,
        contents: [{ content_id: 'sku-1', content_name: 'Runner', content_price: '29.99', num_items: 2 }],
      },
      { 'x-pixel-token': 'pixel-token' },
    ),
  }),
  example('a custom event with a mapping, signed by OAuth, with the click id of the cookie', {
    event: { eventName: 'Quiz finished', data: { search: 'red shoes' } },
    captured: { _twclid: '%7B%22pixelVersion%22%3A1%2C%22twclid%22%3A%22fromCookie%22%7D' },
    secrets: {
      ...mapped,
      TWITTER_CONSUMER_KEY: 'consumer',
      TWITTER_CONSUMER_SECRET: 'consumer-secret',
      TWITTER_ACCESS_TOKEN: 'access',
      TWITTER_ACCESS_TOKEN_SECRET: 'access-secret',
      undefined: undefined,
      TWITTER_PIXEL_TOKEN: undefined,
    },
    sends: sent(
      { event_id: 'o87ne', identifiers: [{ twclid: 'fromCookie' }], search_string: 'red shoes' },
      {
        authorization:
          /^OAuth oauth_consumer_key="consumer", oauth_nonce="[0-9a-f]{32}", oauth_signature="[^"]+", oauth_signature_method="HMAC-SHA1", oauth_timestamp="1700000001", oauth_token="access", oauth_version="1.0"$/,
      },
    ),
  }),
  example('an event without a mapping', {
    event: { eventName: 'PageView' },
    user: ada,
    sends: { skipped: 'filtered' },
  }),
  example('an IP address without a user agent does not identify a person', {
    event: { eventName: 'Purchase' },
    user: { ip: '81.2.69.142' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } }, secrets },
    { visitor: { skipped: 'identityMissing' }, email: sentForPerson, customer: sentForPerson },
  ),
]
