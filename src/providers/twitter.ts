import { mapItems, totalQuantity, wholeQuantity } from '#provider/form/items.ts'
import { amountText, unlessNegative } from '#provider/form/money.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import type { CapturedValues } from '#provider/form/request.ts'
import { isoTime } from '#provider/form/time.ts'
import { percentDecoded } from '#provider/form/url.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { eventMapping, identifier, optional, password } from '#provider/form/variables.ts'

export default provider({
  label: 'X (Twitter)',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://docs.x.com/x-ads-api/measurement/web-conversions',
  dashboardUrl: 'https://ads.x.com/',
  links: { onboarding: 'https://docs.x.com/x-ads-api/getting-started' },
  host: 'fixed',

  secrets: {
    TWITTER_PIXEL_ID: identifier('Pixel ID', 'Ads Manager, Tools, Events Manager: the id below the name of the pixel.'),
    TWITTER_MAPPED_EVENTS: eventMapping('the event ID that Events Manager shows', 'tw-o8z6j-o9abc'),
    TWITTER_PIXEL_TOKEN: password('Pixel token', 'Events Manager, your pixel, Conversion API.', optional),
    TWITTER_CONSUMER_KEY: password('API key', 'Developer console, your app, Keys and tokens.', optional),
    TWITTER_CONSUMER_SECRET: password('API key secret', 'Shown beside the API key.', optional),
    TWITTER_ACCESS_TOKEN: password('Access token', 'Of an ad manager of the account: Keys and tokens.', optional),
    TWITTER_ACCESS_TOKEN_SECRET: password('Access token secret', 'Shown beside the access token.', optional),
  },
  // The pixel token is from public implementations, not from the vendor's page. It is used if both are set.
  credentialSets: [
    ['TWITTER_PIXEL_TOKEN'],
    ['TWITTER_CONSUMER_KEY', 'TWITTER_CONSUMER_SECRET', 'TWITTER_ACCESS_TOKEN', 'TWITTER_ACCESS_TOKEN_SECRET'],
  ],

  events: {},
  eventMapping: 'TWITTER_MAPPED_EVENTS',
  user: {
    hashed_email: hashed('email'),
    hashed_phone_number: hashed('phone'),
    ip_address: plain('ip'),
    user_agent: plain('userAgent'),
  },
  personId: 'none',
  requires: [
    'hashed_email',
    'hashed_phone_number',
    'captured.twclid',
    'captured._twclid',
    ['ip_address', 'user_agent'],
  ],
  captures: [{ query: 'twclid', cookie: '_twclid' }],
  maxAgeMs: 90 * 86_400_000,
  matchKeys: {
    strong: ['hashed_email', 'hashed_phone_number', 'captured.twclid', 'captured._twclid'],
    weak: ['ip_address', 'user_agent'],
  },
  dedup: 'conversions[].conversion_id, together with event_id and the pixel, for 48 h',

  request({ event, data, items, user, value, captured }, secrets, name) {
    const { hashed_email, hashed_phone_number, ip_address, user_agent } = user
    const { TWITTER_CONSUMER_KEY: consumerKey = '', TWITTER_CONSUMER_SECRET: consumerSecret = '' } = secrets
    const { TWITTER_ACCESS_TOKEN: token = '', TWITTER_ACCESS_TOKEN_SECRET: tokenSecret = '' } = secrets
    return {
      // 12 is the API version on the vendor's pages.
      url: `https://ads-api.x.com/12/measurement/conversions/${encodeURIComponent(secrets.TWITTER_PIXEL_ID)}`,
      headers: { 'x-pixel-token': secrets.TWITTER_PIXEL_TOKEN },
      sign: secrets.TWITTER_PIXEL_TOKEN ? undefined : { oauth1: { consumerKey, consumerSecret, token, tokenSecret } },
      json: {
        conversions: [
          {
            conversion_time: isoTime(event.timestamp),
            event_id: name,
            conversion_id: event.eventId,
            identifiers: [
              unlessEmpty({ hashed_email }),
              unlessEmpty({ hashed_phone_number }),
              unlessEmpty({ twclid: clickIdOf(captured) }),
              unlessEmpty({ ip_address, user_agent }),
            ].filter((sign) => sign !== undefined),
            value: amountText(unlessNegative(value)),
            price_currency: data.currency,
            number_items: totalQuantity(items),
            search_string: data.search,
            contents: mapItems(items, (item) => ({
              content_id: item.id,
              content_name: item.title,
              content_price: amountText(unlessNegative(item.item_price)),
              num_items: wholeQuantity(item),
            })),
          },
        ],
      },
    }
  },
  batch: { maxEvents: 500, listPath: 'conversions' },

  // Only the count shows that a conversion was not processed.
  responseRules: [{ status: 200, path: 'data.conversions_processed', equalsAny: [0], verdict: 'refused' }],
})

/** The cookie holds the click id, or a JSON object with it. */
const clickIdOf = ({ twclid, _twclid }: CapturedValues): string | undefined =>
  twclid?.value ?? (_twclid && (/"twclid"\s*:\s*"([^"]+)"/.exec(percentDecoded(_twclid.value))?.[1] ?? _twclid.value))
