import { metaDigests } from '#provider/digests.ts'
import { plain } from '#provider/identity.ts'
import { each, piecesIn, withId } from '#provider/items.ts'
import { type Captured, lists, ownNames, provider, some } from '#provider/provider.ts'
import { seconds } from '#provider/time.ts'
import { browserPixel, checkbox, identifier, optional, password, testEventCode } from '#provider/variables.ts'
import { examples } from './examples/facebook.ts'

// a version of the Graph API ends about two years after its release
const graph = 'https://graph.facebook.com/v25.0'

/** The cookie of the browser pixel; else the same made from the click id, whose case must not change. */
const fbcOf = ({ _fbc, fbclid }: Captured) => _fbc?.value ?? (fbclid && `fb.1.${fbclid.at}.${fbclid.value}`)

const limited = {
  data_processing_options: ['LDU'],
  data_processing_options_country: 0,
  data_processing_options_state: 0,
}

export default provider({
  label: 'Meta',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://developers.facebook.com/documentation/ads-commerce/conversions-api',
  dashboardUrl: 'https://business.facebook.com/events_manager2',
  links: { onboarding: 'https://developers.facebook.com/documentation/ads-commerce/conversions-api/get-started' },
  host: 'fixed',
  inPage: true,

  secrets: {
    FACEBOOK_PIXEL_ID: identifier('Pixel ID', 'Of the dataset (pixel): Events Manager, Data sources, below its name.', {
      placeholder: '1234567890123456',
      helpLink: 'https://www.facebook.com/business/help/952192354843755',
    }),
    FACEBOOK_ACCESS_TOKEN: password('Access token', 'Events Manager, your dataset, Settings, Conversions API.'),
    FACEBOOK_TEST_EVENT_CODE: testEventCode('Events Manager, your dataset, Test events.'),
    FACEBOOK_LDU: checkbox('Limited data use', 'For each event; Meta finds the state of the person.', optional),
    FACEBOOK_BROWSER_PIXEL: browserPixel,
  },

  // there is no event for a refund: it goes as a custom one
  events: ownNames,
  custom: (eventName) => eventName,
  user: { ...metaDigests, client_ip_address: plain('ip'), client_user_agent: plain('userAgent') },
  // Meta refuses a person told by user agent, gender, birth date, a name or a broad place alone
  requires: ['em', 'ph', 'external_id', 'client_ip_address', 'captured._fbc', 'captured.fbclid', 'captured._fbp'],
  captures: [{ query: 'fbclid', cookie: '_fbc' }, { cookie: '_fbp' }],
  // one event that is too old makes the whole request fail
  maxAgeMs: 7 * 86_400_000,
  dedup: 'data[].event_id, together with event_name, for 48 h',

  request({ event, data, items: all, user, value, captured }, secrets, name) {
    const { client_ip_address, client_user_agent, ...digests } = user
    const items = withId(all)
    const row = {
      event_name: name,
      event_time: seconds(event.timestamp),
      event_id: event.eventId,
      action_source: 'website',
      event_source_url: event.pageUrl,
      referrer_url: event.referrer,
      user_data: {
        ...lists(digests),
        client_ip_address,
        client_user_agent,
        fbc: fbcOf(captured),
        fbp: captured._fbp?.value,
      },
      custom_data: some({
        value,
        currency: data.currency,
        content_ids: each(items, ({ id }) => id),
        contents: each(items, ({ id, quantity = 1, item_price }) => ({ id, quantity, item_price })),
        content_type: items.length > 0 ? 'product' : undefined,
        num_items: piecesIn(items),
        order_id: data.orderId,
        search_string: data.search,
      }),
      ...(secrets.FACEBOOK_LDU === '1' && limited),
    }
    const { FACEBOOK_TEST_EVENT_CODE: test_event_code, FACEBOOK_ACCESS_TOKEN: access_token } = secrets
    return {
      url: `${graph}/${encodeURIComponent(secrets.FACEBOOK_PIXEL_ID)}/events`,
      json: { data: [row], test_event_code, access_token },
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
