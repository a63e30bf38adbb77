import { ada, cart } from '#provider/examples.ts'
import { hashed, plain } from '#provider/identity.ts'
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

// a version of the Graph API ends about two years after its release
const graph = 'https://graph.facebook.com/v25.0'

/** The cookie of the browser pixel; else the same made from the click id, whose case must not change. */
const fbcOf = ({ _fbc, fbclid }: Captured) => _fbc?.value ?? (fbclid && `fb.1.${fbclid.at}.${fbclid.value}`)

const secrets = { FACEBOOK_PIXEL_ID: '1234567890', FACEBOOK_ACCESS_TOKEN: 'fb-token' }
const known = { user: { userId: 'usr_1' }, secrets }

export default provider({
  label: 'Meta',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://developers.facebook.com/documentation/ads-commerce/conversions-api',
  dashboardUrl: 'https://business.facebook.com/events_manager2',
  host: 'fixed',

  secrets: {
    FACEBOOK_PIXEL_ID: {
      label: 'Pixel ID',
      type: 'IDENTIFIER',
      description: 'The id of the dataset (pixel): Events Manager, Data sources, below its name.',
      placeholder: '1234567890123456',
      helpLink: 'https://www.facebook.com/business/help/952192354843755',
    },
    FACEBOOK_ACCESS_TOKEN: {
      label: 'Access token',
      type: 'PASSWORD',
      description: 'Events Manager, Settings of the dataset, Conversions API, Generate access token.',
      helpLink: 'https://developers.facebook.com/documentation/ads-commerce/conversions-api/get-started',
    },
    FACEBOOK_TEST_EVENT_CODE: {
      label: 'Test event code',
      type: 'TEXT',
      optional: true,
      description: 'Shows events in Events Manager, Test events. They still count: clear it when you are done.',
      placeholder: 'TEST12345',
    },
    FACEBOOK_LDU: {
      label: 'Limited data use',
      type: 'CHECKBOX',
      optional: true,
      description: 'Sends each event under Limited Data Use; Meta finds out the state the person is in.',
    },
    FACEBOOK_BROWSER_PIXEL: {
      label: 'Browser pixel',
      type: 'CHECKBOX',
      optional: true,
      usedBy: 'browser',
      description: 'The page is to load the pixel as well; events that come twice are merged by their id.',
    },
  },

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
    const data = event.data ?? {}
    const contents = data.contents
      ?.filter(({ id }) => id)
      .map(({ id, quantity = 1, item_price }) => ({ id, quantity, item_price }))
    return {
      url: `${graph}/${encodeURIComponent(secrets.FACEBOOK_PIXEL_ID)}/events`,
      json: {
        data: [
          {
            event_name: name,
            event_time: Math.floor(event.timestamp / 1000),
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
              currency: data.currency,
              ...(contents?.length && {
                content_ids: contents.map(({ id }) => id),
                contents,
                content_type: 'product',
                num_items: contents.reduce((sum, { quantity }) => sum + quantity, 0),
              }),
              order_id: data.orderId,
              search_string: data.search,
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

  // https://developers.facebook.com/docs/graph-api/guides/error-handling
  answers: [
    { at: 'error.code', in: [190], is: 'keyRejected' },
    { at: 'error.code', in: [4, 17, 32, 613, 80004], is: 'throttled' },
    { at: 'error.is_transient', in: [true], is: 'again' },
    { at: 'error.code', in: [1, 2], is: 'again' },
  ],

  examples: [
    ...[
      'ViewContent',
      'AddToCart',
      'RemoveFromCart',
      'InitiateCheckout',
      'AddShippingInfo',
      'AddPaymentInfo',
      'Subscribe',
    ].map((eventName) => ({
      title: `${eventName} with what is in the cart`,
      event: { eventName, data: cart },
      ...known,
      sends: sent(eventName, {
        custom_data: {
          value: 59.98,
          currency: 'EUR',
          content_ids: ['sku-1'],
          contents: [{ id: 'sku-1', quantity: 2, item_price: 29.99 }],
          content_type: 'product',
          num_items: 2,
        },
      }),
    })),
    {
      title: 'a purchase, net, by a person of whom all is known',
      event: {
        eventName: 'Purchase',
        pageUrl: 'https://shop.example/thanks',
        referrer: 'https://shop.example/checkout',
        data: { value: 119, tax: 19, shipping: 4.95, currency: 'EUR', orderId: 'A-1001', contents: [{ id: 'sku-1' }] },
      },
      user: ada,
      captured: { fbclid: 'IwAR0-AbC', _fbp: 'fb.1.1699999999999.42' },
      purchaseValueMode: 'net',
      secrets,
      sends: sent('Purchase', {
        event_source_url: 'https://shop.example/thanks',
        referrer_url: 'https://shop.example/checkout',
        user_data: {
          em: ['894ac26ea616dec861df81a6efb2ddfc30c3f1cb72b219a17242d8244e66c125'],
          ph: ['8b47a52ed04d068c3a9c5632b98cec18780a9f9f4099d4f8afe233970ce116fe'],
          fn: ['fdee430d40bd57deeac186cd9790033d0f06f909a8806e7ce6e717ab7c7d5029'],
          ln: ['fb1e7ec987523d2cb9e022cec1d6ae7c99dc46edfae4fe51254025fe4bea571f'],
          ge: ['252f10c83610ebca1a059c0bae8255eba2f95be4d1d7bcfa89d7248a82d9f111'],
          db: ['1218be09d200795c825ee23e4cfc39c5d786e4dc453ad4a55e833430448d615d'],
          ct: ['6089854c94ca5454b76be6752c562901a985f64c9a946f62976aeab593b83161'],
          st: ['d56d0ff69b62792a00a361fbf6e02e2a634a7a8da1c3e49d59e71e0f19c27875'],
          zp: ['7d3fac9e9f3558608abd0966d94a166886ddff096f87b08d86b9eb32b6a90764'],
          country: ['0b407281768f0e833afef47ed464b6571d01ca4d53c12ce5c51d1462f4ad6677'],
          external_id: ['ac9852aff2e92a734c6c3f72ac9270f1d0661639b6080ee5e964182d0181a7a1'],
          client_ip_address: '81.2.69.142',
          client_user_agent: 'Mozilla/5.0',
          fbc: 'fb.1.1700000000000.IwAR0-AbC',
          fbp: 'fb.1.1699999999999.42',
        },
        custom_data: {
          value: 95.05,
          currency: 'EUR',
          content_ids: ['sku-1'],
          contents: [{ id: 'sku-1', quantity: 1 }],
          content_type: 'product',
          num_items: 1,
          order_id: 'A-1001',
        },
      }),
    },
    {
      title: 'a search',
      event: { eventName: 'Search', data: { search: 'red shoes' } },
      ...known,
      sends: sent('Search', { custom_data: { search_string: 'red shoes' } }),
    },
    {
      title: 'a lead, with the cookie of the browser pixel before the click id',
      event: { eventName: 'Lead', data: { value: 10, currency: 'USD' } },
      captured: { _fbc: 'fb.1.1690000000000.Older', fbclid: 'Newer' },
      secrets,
      sends: sent('Lead', {
        user_data: { fbc: 'fb.1.1690000000000.Older' },
        custom_data: { value: 10, currency: 'USD' },
      }),
    },
    {
      title: 'a custom event under Limited Data Use, while testing',
      event: { eventName: 'Quiz finished' },
      user: known.user,
      secrets: { ...secrets, FACEBOOK_LDU: '1', FACEBOOK_TEST_EVENT_CODE: 'TEST7' },
      sends: sent(
        'Quiz finished',
        { data_processing_options: ['LDU'], data_processing_options_country: 0, data_processing_options_state: 0 },
        { test_event_code: 'TEST7' },
      ),
    },
    {
      title: 'an e-mail that is hashed already goes as it is',
      event: { eventName: 'PageView' },
      user: { email: '894AC26EA616DEC861DF81A6EFB2DDFC30C3F1CB72B219A17242D8244E66C125' },
      secrets,
      sends: sent('PageView', {
        user_data: { em: ['894ac26ea616dec861df81a6efb2ddfc30c3f1cb72b219a17242d8244e66c125'] },
      }),
    },
    {
      title: 'nobody is told by a country and a user agent',
      event: { eventName: 'PageView' },
      user: { country: 'DE', userAgent: 'Mozilla/5.0' },
      secrets,
      sends: { skipped: 'identityMissing' },
    },
  ],
})

/** What goes to Meta of one event of `known`: the examples say only what they add. */
function sent(event_name: string, event: object = {}, body: object = {}) {
  return [
    {
      url: 'https://graph.facebook.com/v25.0/1234567890/events',
      headers: { 'content-type': 'application/json' },
      body: {
        data: [
          {
            event_name,
            event_time: 1_700_000_000,
            event_id: 'evt-1',
            action_source: 'website',
            user_data: { external_id: ['ac9852aff2e92a734c6c3f72ac9270f1d0661639b6080ee5e964182d0181a7a1'] },
            ...event,
          },
        ],
        access_token: 'fb-token',
        ...body,
      },
    },
  ]
}
