import { hashed, plain } from '#provider/identity.ts'
import { piecesIn } from '#provider/items.ts'
import {
  birthDate,
  countryLetters,
  genderLetter,
  lettersAndDigits,
  phoneDigits,
  stateLetters,
  trimmed,
  zipCode,
} from '#provider/normalise.ts'
import { type Captured, list, ownNames, provider, some } from '#provider/provider.ts'
import { seconds } from '#provider/time.ts'
import { checkbox, identifier, optional, password, text } from '#provider/variables.ts'
import { examples } from './examples/facebook.ts'

// a version of the Graph API ends about two years after its release
const graph = 'https://graph.facebook.com/v25.0'

/** The cookie of the browser pixel; else the same made from the click id, whose case must not change. */
const fbcOf = ({ _fbc, fbclid }: Captured) => _fbc?.value ?? (fbclid && `fb.1.${fbclid.at}.${fbclid.value}`)

export default provider({
  label: 'Meta',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://developers.facebook.com/documentation/ads-commerce/conversions-api',
  dashboardUrl: 'https://business.facebook.com/events_manager2',
  host: 'fixed',

  secrets: {
    FACEBOOK_PIXEL_ID: identifier('Pixel ID', 'Of the dataset (pixel): Events Manager, Data sources, below its name.', {
      placeholder: '1234567890123456',
      helpLink: 'https://www.facebook.com/business/help/952192354843755',
    }),
    FACEBOOK_ACCESS_TOKEN: password(
      'Access token',
      'Events Manager, Settings of the dataset, Conversions API, Generate access token.',
      { helpLink: 'https://developers.facebook.com/documentation/ads-commerce/conversions-api/get-started' },
    ),
    FACEBOOK_TEST_EVENT_CODE: text(
      'Test event code',
      'Shows events in Events Manager, Test events. They still count: clear it when you are done.',
      { optional: true, placeholder: 'TEST12345' },
    ),
    FACEBOOK_LDU: checkbox(
      'Limited data use',
      'Sends each event under Limited Data Use; Meta finds out the state the person is in.',
      optional,
    ),
    FACEBOOK_BROWSER_PIXEL: checkbox(
      'Browser pixel',
      'The page is to load the pixel as well; events that come twice are merged by their id.',
      { optional: true, usedBy: 'browser' },
    ),
  },

  // there is no event for a refund: it goes as a custom one
  events: ownNames,
  custom: (eventName) => eventName,
  user: {
    em: hashed('email'),
    ph: hashed('phone', phoneDigits),
    fn: hashed('firstName'),
    ln: hashed('lastName'),
    ge: hashed('gender', genderLetter),
    db: hashed('dateOfBirth', birthDate),
    ct: hashed('city', lettersAndDigits),
    st: hashed('state', stateLetters),
    zp: hashed('zip', zipCode),
    country: hashed('country', countryLetters),
    external_id: hashed('userId', trimmed),
    client_ip_address: plain('ip'),
    client_user_agent: plain('userAgent'),
  },
  // Meta refuses a person told by user agent, gender, birth date, a name or a broad place alone
  requires: ['em', 'ph', 'external_id', 'client_ip_address', 'captured._fbc', 'captured.fbclid', 'captured._fbp'],
  captures: [{ query: 'fbclid', cookie: '_fbc' }, { cookie: '_fbp' }],
  // one event that is too old makes the whole request fail
  maxAgeMs: 7 * 86_400_000,
  dedup: 'data[].event_id, together with event_name, for 48 h',

  request({ event, user, value, captured }, secrets, name) {
    const { client_ip_address, client_user_agent, ...digests } = user
    const { currency, orderId, search } = event.data ?? {}
    const items = event.data?.contents?.filter(({ id }) => id) ?? []
    return {
      url: `${graph}/${encodeURIComponent(secrets.FACEBOOK_PIXEL_ID)}/events`,
      json: {
        data: [
          {
            event_name: name,
            event_time: seconds(event.timestamp),
            event_id: event.eventId,
            action_source: 'website',
            event_source_url: event.pageUrl,
            referrer_url: event.referrer,
            user_data: {
              ...Object.fromEntries(Object.entries(digests).map(([field, digest]) => [field, list(digest)])),
              client_ip_address,
              client_user_agent,
              fbc: fbcOf(captured),
              fbp: captured._fbp?.value,
            },
            custom_data: some({
              value,
              currency,
              ...(items.length > 0 && {
                content_ids: items.map(({ id }) => id),
                contents: items.map(({ id, quantity = 1, item_price }) => ({ id, quantity, item_price })),
                content_type: 'product',
                num_items: piecesIn(items),
              }),
              order_id: orderId,
              search_string: search,
            }),
            ...(secrets.FACEBOOK_LDU === '1' && {
              data_processing_options: ['LDU'],
              data_processing_options_country: 0,
              data_processing_options_state: 0,
            }),
          },
        ],
        test_event_code: secrets.FACEBOOK_TEST_EVENT_CODE,
        access_token: secrets.FACEBOOK_ACCESS_TOKEN,
      },
    }
  },

  many: { at: 'data', most: 1_000 },
  test: (send, secrets) => (secrets.FACEBOOK_TEST_EVENT_CODE ? send : undefined),

  // https://developers.facebook.com/docs/graph-api/guides/error-handling
  answers: [
    { at: 'error.code', in: [190], is: 'keyRejected' },
    { at: 'error.code', in: [4, 17, 32, 613, 80004], is: 'throttled' },
    { at: 'error.is_transient', in: [true], is: 'again' },
    { at: 'error.code', in: [1, 2], is: 'again' },
  ],

  examples,
})
