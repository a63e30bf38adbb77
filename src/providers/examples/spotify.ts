import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'
import { adaDigests } from '#provider/vendors/exampleDigests.ts'

const names = {
  PageView: 'VIEW',
  ViewContent: 'PRODUCT',
  AddToCart: 'ADD_TO_CART',
  InitiateCheckout: 'CHECK_OUT',
  Purchase: 'PURCHASE',
  Subscribe: 'SIGN_UP',
  Lead: 'LEAD',
  CompleteRegistration: 'SIGN_UP',
}
const secrets = { SPOTIFY_CONNECTION_ID: 'c1a1f7a4-5f0e-4d6b-9d57-0a6f6a2f1c38', SPOTIFY_ACCESS_TOKEN: 'sp-token' }
const known = { user: { email: 'ada.lovelace@gmail.com' }, secrets }
const example = exampleLike(known)

/** The expected requests of an example with the input `known`. The arguments: the fields that its event adds. */
function sent(event_name: string, more: object = {}) {
  return [
    {
      url: 'https://capi.spotify.com/capi-direct/events/',
      headers: { 'content-type': 'application/json', authorization: 'Bearer sp-token' },
      body: {
        conversion_events: {
          capi_connection_id: 'c1a1f7a4-5f0e-4d6b-9d57-0a6f6a2f1c38',
          events: [
            {
              event_id: 'evt-1',
              event_name,
              event_time: '2023-11-14T22:13:20.000Z',
              action_source: 'WEB',
              opt_out_targeting: false,
              user_data: { hashed_emails: [adaDigests.email] },
              ...more,
            },
          ],
        },
      },
    },
  ]
}

/** The requests, the same for each of the three people. */
const sentForPerson = sent('LEAD')

export const examples: readonly ProviderExample[] = [
  ...Object.entries(names).map(([eventName, name]) =>
    example(`${eventName} with the value of the cart`, {
      event: { eventName, data: cart },
      sends: sent(name, { event_details: { amount: 59.98, currency: 'EUR' } }),
    }),
  ),
  example('a purchase, net, by a person with all keys', {
    event: {
      eventName: 'Purchase',
      pageUrl: 'https://shop.example/thanks',
      data: { value: 119, tax: 19, shipping: 4.95, currency: 'EUR', orderId: 'A-1001' },
    },
    user: ada,
    captured: { __spdt: 'device-1', __pdst: 'device-0' },
    purchaseValueMode: 'net',
    sends: sent('PURCHASE', {
      event_source_url: 'https://shop.example/thanks',
      event_details: { amount: 95.05, currency: 'EUR' },
      user_data: {
        hashed_emails: [adaDigests.email],
        hashed_phone_number: adaDigests.phoneE164,
        ip_address: '81.2.69.142',
        device_id: 'device-1',
      },
    }),
  }),
  example('a purchase in a currency without decimals, with the older cookie', {
    event: { eventName: 'Purchase', data: { value: 6000, currency: 'JPY' } },
    captured: { __pdst: 'device-0' },
    sends: sent('PURCHASE', { event_details: { amount: 6000, currency: 'JPY' }, user_data: { device_id: 'device-0' } }),
    user: undefined,
  }),
  example('an amount without a currency is not sent', {
    event: { eventName: 'Lead', data: { value: 10 } },
    sends: sent('LEAD'),
  }),
  example('a person who refused advertising is not targeted by it', {
    event: { eventName: 'PageView' },
    consent: { advertising: 'denied', analytics: 'granted' },
    sends: sent('VIEW', { opt_out_targeting: true }),
  }),
  example('one of the five custom events', { event: { eventName: 'CUSTOM_EVENT_2' }, sends: sent('CUSTOM_EVENT_2') }),
  example('Spotify has no other names for custom events', {
    event: { eventName: 'Quiz finished' },
    sends: { skipped: 'eventNotSupported' },
  }),
  example('Spotify has no event for a search', {
    event: { eventName: 'Search', data: { search: 'red shoes' } },
    sends: { skipped: 'eventNotSupported' },
  }),
  example('a user id and a user agent do not identify a person', {
    event: { eventName: 'PageView' },
    user: { userId: 'usr_1', userAgent: 'Mozilla/5.0' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    { visitor: { skipped: 'identityMissing' }, email: sentForPerson, customer: sentForPerson },
  ),
]
