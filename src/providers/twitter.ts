import { ada, cart } from '#provider/examples.ts'
import { hashed, plain } from '#provider/identity.ts'
import { piecesIn } from '#provider/items.ts'
import { amountText } from '#provider/money.ts'
import { type Captured, type ExpectedHeaders, provider, some } from '#provider/provider.ts'
import { decoded } from '#provider/read.ts'
import { isoTime } from '#provider/time.ts'
import { eventPairs, identifier, optional, password } from '#provider/variables.ts'

// the Ads API has its version in each address; the vendor's pages are at 12
const api = 'https://ads-api.x.com/12'

/** The cookie is the click id, or JSON that holds it. */
const clickIdOf = ({ twclid, _twclid }: Captured): string | undefined =>
  twclid?.value ?? (_twclid && (/"twclid"\s*:\s*"([^"]+)"/.exec(decoded(_twclid.value))?.[1] ?? _twclid.value))

const amount = (value: number | undefined) => (value === undefined ? undefined : amountText(value))

const mapped = {
  TWITTER_PIXEL_ID: 'o8z6j',
  TWITTER_MAPPED_EVENTS: '[["Purchase","tw-o8z6j-o9abc"],["Quiz finished","o87ne"]]',
}
const secrets = { ...mapped, TWITTER_PIXEL_TOKEN: 'pixel-token' }

export default provider({
  label: 'X (Twitter)',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://docs.x.com/x-ads-api/measurement/web-conversions',
  dashboardUrl: 'https://ads.x.com/',
  host: 'fixed',

  secrets: {
    TWITTER_PIXEL_ID: identifier('Pixel ID', 'Ads Manager, Tools, Events Manager: the id below the name of the pixel.'),
    TWITTER_MAPPED_EVENTS: eventPairs('the event ID that Events Manager shows', 'tw-o8z6j-o9abc'),
    TWITTER_PIXEL_TOKEN: password(
      'Pixel token',
      'Events Manager, your pixel, Conversion API. The keys below stay empty.',
      optional,
    ),
    TWITTER_CONSUMER_KEY: password(
      'API key',
      'Developer console, your app with access to the Ads API, Keys and tokens.',
      optional,
    ),
    TWITTER_CONSUMER_SECRET: password('API key secret', 'Shown beside the API key.', optional),
    TWITTER_ACCESS_TOKEN: password(
      'Access token',
      'Of an administrator or ad manager of the account: Keys and tokens.',
      optional,
    ),
    TWITTER_ACCESS_TOKEN_SECRET: password('Access token secret', 'Shown beside the access token.', optional),
  },
  // the token is on the pages of peers, not yet on the stored page of the vendor; where both are set it goes first
  oneOf: [
    ['TWITTER_PIXEL_TOKEN'],
    ['TWITTER_CONSUMER_KEY', 'TWITTER_CONSUMER_SECRET', 'TWITTER_ACCESS_TOKEN', 'TWITTER_ACCESS_TOKEN_SECRET'],
  ],

  events: {},
  mapping: 'TWITTER_MAPPED_EVENTS',
  user: {
    hashed_email: hashed('email'),
    hashed_phone_number: hashed('phone'),
    ip_address: plain('ip'),
    user_agent: plain('userAgent'),
  },
  requires: [
    'hashed_email',
    'hashed_phone_number',
    'captured.twclid',
    'captured._twclid',
    ['ip_address', 'user_agent'],
  ],
  captures: [{ query: 'twclid', cookie: '_twclid' }],
  maxAgeMs: 90 * 86_400_000,
  dedup: 'conversions[].conversion_id, together with event_id and the pixel, for 48 h',

  request({ event, user, value, captured }, secrets, name) {
    const { hashed_email, hashed_phone_number, ip_address, user_agent } = user
    const items = event.data?.contents ?? []
    const { TWITTER_CONSUMER_KEY: consumerKey = '', TWITTER_CONSUMER_SECRET: consumerSecret = '' } = secrets
    const { TWITTER_ACCESS_TOKEN: token = '', TWITTER_ACCESS_TOKEN_SECRET: tokenSecret = '' } = secrets
    return {
      url: `${api}/measurement/conversions/${encodeURIComponent(secrets.TWITTER_PIXEL_ID)}`,
      headers: { 'x-pixel-token': secrets.TWITTER_PIXEL_TOKEN },
      sign: secrets.TWITTER_PIXEL_TOKEN ? undefined : { oauth1: { consumerKey, consumerSecret, token, tokenSecret } },
      json: {
        conversions: [
          {
            conversion_time: isoTime(event.timestamp),
            event_id: name,
            conversion_id: event.eventId,
            identifiers: [
              some({ hashed_email }),
              some({ hashed_phone_number }),
              some({ twclid: clickIdOf(captured) }),
              some({ ip_address, user_agent }),
            ].filter((each) => each !== undefined),
            value: amount(value),
            price_currency: event.data?.currency,
            number_items: items.length > 0 ? piecesIn(items) : undefined,
            search_string: event.data?.search,
            contents:
              items.length > 0
                ? items.map(({ id, title, item_price, quantity = 1 }) => ({
                    content_id: id,
                    content_name: title,
                    content_price: amount(item_price),
                    num_items: quantity,
                  }))
                : undefined,
          },
        ],
      },
    }
  },
  many: { most: 500, at: 'conversions' },

  // a conversion that was not processed is in no error, only in the count
  answers: [{ status: 200, at: 'data.conversions_processed', in: [0], is: 'refused' }],

  examples: [
    {
      title: 'a purchase by a person of whom all is known',
      event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } },
      user: ada,
      captured: { twclid: '26l6412g5p4iyj65a2oic2ayg2' },
      secrets,
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
    },
    {
      title: 'a custom event that is paired, signed by OAuth, with the click id of the cookie',
      event: { eventName: 'Quiz finished', data: { search: 'red shoes' } },
      captured: { _twclid: '%7B%22pixelVersion%22%3A1%2C%22twclid%22%3A%22fromCookie%22%7D' },
      secrets: {
        ...mapped,
        TWITTER_CONSUMER_KEY: 'consumer',
        TWITTER_CONSUMER_SECRET: 'consumer-secret',
        TWITTER_ACCESS_TOKEN: 'access',
        TWITTER_ACCESS_TOKEN_SECRET: 'access-secret',
      },
      sends: sent(
        { event_id: 'o87ne', identifiers: [{ twclid: 'fromCookie' }], search_string: 'red shoes' },
        {
          authorization:
            /^OAuth oauth_consumer_key="consumer", oauth_nonce="[0-9a-f]{32}", oauth_signature="[^"]+", oauth_signature_method="HMAC-SHA1", oauth_timestamp="1700000001", oauth_token="access", oauth_version="1.0"$/,
        },
      ),
    },
    {
      title: 'an event that is paired with none of X',
      event: { eventName: 'PageView' },
      user: ada,
      secrets,
      sends: { skipped: 'filtered' },
    },
    {
      title: 'an address without a browser tells nobody',
      event: { eventName: 'Purchase' },
      user: { ip: '81.2.69.142' },
      secrets,
      sends: { skipped: 'identityMissing' },
    },
  ],
})

/** What goes to X of one event: the examples say only what they add. */
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
