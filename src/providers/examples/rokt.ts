import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'
import { adaDigests } from '#provider/vendors/exampleDigests.ts'

const secrets = { ROKT_API_KEY: 'us1-key', ROKT_API_SECRET: 'rokt-secret' }
const known = { user: { customerId: 'customer-1' }, secrets }
const example = exampleLike(known)

/** The expected requests of an example with the input `known`. The arguments: the fields that its event adds. */
function sent(conversiontype: string, attributes: object = {}, more: object = {}) {
  return [
    {
      url: 'https://inbound.mparticle.com/s2s/v2/events',
      headers: { 'content-type': 'application/json', authorization: 'Basic dXMxLWtleTpyb2t0LXNlY3JldA==' },
      body: {
        environment: 'production',
        user_identities: { customerid: 'customer-1' },
        ...more,
        events: [
          {
            event_type: 'custom_event',
            data: {
              event_name: 'conversion',
              custom_event_type: 'transaction',
              source_message_id: 'evt-1',
              timestamp_unixtime_ms: 1_700_000_000_000,
              custom_attributes: { conversiontype, confirmationref: 'evt-1', ...attributes },
            },
          },
        ],
      },
    },
  ]
}

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  like(sent('Lead')[0]!, { body: { user_identities: { customerid: undefined, other: adaDigests.email, ...person } } }),
]

export const examples: readonly ProviderExample[] = [
  ...['Purchase', 'Subscribe', 'Lead'].map((eventName) =>
    example(`${eventName} with the value of the cart`, {
      event: { eventName, data: cart },
      sends: sent(eventName, { amount: 59.98, currency: 'EUR' }),
    }),
  ),
  example('a purchase, net, by a person with all keys', {
    event: { eventName: 'Purchase', data: { value: 119, tax: 19, shipping: 4.95, currency: 'EUR', orderId: 'A-1001' } },
    user: ada,
    captured: { rtid: 'click-1', RoktRecogniser: 'click-0' },
    purchaseValueMode: 'net',
    sends: sent(
      'Purchase',
      { confirmationref: 'A-1001', amount: 95.05, currency: 'EUR' },
      {
        ip: '81.2.69.142',
        device_info: { http_header_user_agent: 'Mozilla/5.0' },
        user_identities: { other: adaDigests.email, customerid: 'customer-1', other2: 'click-1' },
        user_attributes: {
          firstnamesha256: '99a563ab2f6e21e96998f9fddd2a2bab82b70ac019579502b8d7fc0032ff62bb',
          lastnamesha256: '5d7dc772fa49e131ada65f8a203e944a28701fc53cb6ae4c0e9fa13e26c4efe0',
          mobilesha256: 'b4267a2234e2072fa4d2e8d89fbe727c50fc414731d6ecacc2ed3d00f05038d1',
          billingzipsha256: 'faca9f63bbb259c961610efd224006057ed62a39ad74beecbef6c0f7c61ca020',
          dob: '19901210',
          gender: 'f',
        },
        integration_attributes: { 1277: { passbackconversiontrackingid: 'click-1' } },
      },
    ),
  }),
  example('a purchase in a currency without decimals, with the cookie of Rokt', {
    event: { eventName: 'Purchase', data: { value: 6000, currency: 'JPY' } },
    captured: { RoktRecogniser: 'click-0' },
    sends: sent(
      'Purchase',
      { amount: 6000, currency: 'JPY' },
      {
        user_identities: { other2: 'click-0' },
        integration_attributes: { 1277: { passbackconversiontrackingid: 'click-0' } },
      },
    ),
    user: undefined,
  }),
  example('a conversion of an account on a pod in Europe', {
    event: { eventName: 'Lead' },
    secrets: { ROKT_REGION: 'eu1' },
    sends: [{ ...sent('Lead')[0]!, url: 'https://s2s.eu1.mparticle.com/s2s/v2/events' }],
  }),
  example('test mode', {
    event: { eventName: 'Lead' },
    testMode: true,
    sends: sent('Lead', {}, { environment: 'development' }),
  }),
  example('Rokt has no event for PageView', {
    event: { eventName: 'PageView' },
    sends: { skipped: 'eventNotSupported' },
  }),
  example('Rokt has no custom events', {
    event: { eventName: 'Quiz finished' },
    sends: { skipped: 'eventNotSupported' },
  }),
  example('an IP address and a name do not identify a person', {
    event: { eventName: 'Purchase', data: cart },
    user: { ip: '81.2.69.142', userAgent: 'Mozilla/5.0', firstName: 'Ada' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    {
      visitor: { skipped: 'identityMissing' },
      email: sentForPerson({}),
      customer: sentForPerson({ customerid: 'customer-1' }),
    },
  ),
]
