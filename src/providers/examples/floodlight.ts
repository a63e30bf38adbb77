import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { adaDigests } from '#provider/vendors/exampleDigests.ts'
import { exampleServiceAccount } from '#provider/vendors/exampleServiceAccount.ts'

const names = [...Object.keys(standardEventNames), 'Quiz finished', 'Refund']
const shared = {
  FLOODLIGHT_PROFILE_ID: '2468013',
  FLOODLIGHT_CONFIGURATION_ID: '7654321',
  FLOODLIGHT_MAPPED_EVENTS: JSON.stringify(names.map((name, n) => [name, 9_001 + n])),
}
const secrets = {
  ...shared,
  FLOODLIGHT_CLIENT_ID: 'client.apps.googleusercontent.com',
  FLOODLIGHT_CLIENT_SECRET: 'client-secret',
  FLOODLIGHT_REFRESH_TOKEN: '1//refresh',
}
const example = exampleLike({ secrets })
const replies = [{ status: 200, json: { access_token: 'ya29.token', expires_in: 3599 } }]
const byUser = {
  grant_type: 'refresh_token',
  client_id: 'client.apps.googleusercontent.com',
  client_secret: 'client-secret',
  refresh_token: '1//refresh',
}
const activityOf = (eventName: string) => String(9_001 + names.indexOf(eventName))

/** The token request and the request for one event; the arguments differ between the examples. */
function sent(eventName: string, more: object, token: object = byUser) {
  return [
    {
      url: 'https://oauth2.googleapis.com/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: token,
    },
    {
      url: 'https://dfareporting.googleapis.com/dfareporting/v5/userprofiles/2468013/conversions/batchinsert',
      headers: { 'content-type': 'application/json', authorization: 'Bearer ya29.token' },
      body: {
        kind: 'dfareporting#conversionsBatchInsertRequest',
        conversions: [
          {
            kind: 'dfareporting#conversion',
            floodlightConfigurationId: '7654321',
            floodlightActivityId: activityOf(eventName),
            ordinal: 'evt-1',
            timestampMicros: '1700000000000000',
            quantity: '1',
            limitAdTracking: false,
            nonPersonalizedAd: false,
            childDirectedTreatment: false,
            treatmentForUnderage: false,
            ...more,
          },
        ],
      },
    },
  ]
}

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  {
    url: 'https://oauth2.googleapis.com/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: {
      grant_type: 'refresh_token',
      client_id: 'client.apps.googleusercontent.com',
      client_secret: 'client-secret',
      refresh_token: '1//refresh',
    },
  },
  {
    url: 'https://dfareporting.googleapis.com/dfareporting/v5/userprofiles/2468013/conversions/batchinsert',
    headers: { 'content-type': 'application/json', authorization: 'Bearer ya29.token' },
    body: {
      kind: 'dfareporting#conversionsBatchInsertRequest',
      conversions: [
        {
          kind: 'dfareporting#conversion',
          floodlightConfigurationId: '7654321',
          floodlightActivityId: '9011',
          ordinal: 'evt-1',
          timestampMicros: '1700000000000000',
          quantity: '1',
          gclid: 'Cj0KCQ',
          limitAdTracking: false,
          nonPersonalizedAd: false,
          childDirectedTreatment: false,
          treatmentForUnderage: false,
          ...person,
        },
      ],
    },
  },
]

export const examples: readonly ProviderExample[] = [
  example('a purchase after a click, net, by a person with all keys who agreed to advertising', {
    event: {
      eventName: 'Purchase',
      data: { ...cart, value: 119, tax: 19, shipping: 4.95, orderId: 'A-1001', u1: 'gold', U20: 7, u0: 'none' },
    },
    purchaseValueMode: 'net',
    user: ada,
    captured: { gclid: 'Cj0KCQ', dclid: 'second' },
    consent: { advertising: 'granted' },
    replies,
    sends: sent('Purchase', {
      ordinal: 'A-1001',
      quantity: '2',
      value: 95.05,
      gclid: 'Cj0KCQ',
      customVariables: [
        { type: 'U1', value: 'gold', kind: 'dfareporting#customFloodlightVariable' },
        { type: 'U20', value: '7', kind: 'dfareporting#customFloodlightVariable' },
      ],
      userIdentifiers: [
        // The digest of adalovelace@gmail.com: Google ignores the dots.
        { hashedEmail: 'cd98a25152ad884b29e524ea5d3d8d35615ed0afbbc5ea3a6d4215572b0b2bde' },
        { hashedPhoneNumber: 'b4267a2234e2072fa4d2e8d89fbe727c50fc414731d6ecacc2ed3d00f05038d1' },
        {
          addressInfo: {
            hashedFirstName: 'fdee430d40bd57deeac186cd9790033d0f06f909a8806e7ce6e717ab7c7d5029',
            hashedLastName: 'fb1e7ec987523d2cb9e022cec1d6ae7c99dc46edfae4fe51254025fe4bea571f',
          },
        },
      ],
      adUserDataConsent: 'GRANTED',
    }),
  }),
  ...names
    .filter((eventName) => eventName !== 'Refund')
    .map((eventName) =>
      example(`${eventName} with the items of the cart, after a click of Campaign Manager`, {
        event: { eventName, data: cart },
        captured: { dclid: 'CJ-dclid' },
        replies,
        sends: sent(eventName, { quantity: '2', value: 59.98, dclid: 'CJ-dclid' }),
      }),
    ),
  example('a purchase in yen with the click id of the cookie, by a service account', {
    event: { eventName: 'Purchase', data: { value: 1250, currency: 'JPY', orderId: 'A-1001' } },
    captured: { _gcl_aw: 'GCL.1699999999.fromCookie' },
    secrets: {
      ...shared,
      FLOODLIGHT_SERVICE_ACCOUNT_JSON: exampleServiceAccount,
      undefined: undefined,
      FLOODLIGHT_CLIENT_ID: undefined,
      FLOODLIGHT_CLIENT_SECRET: undefined,
      FLOODLIGHT_REFRESH_TOKEN: undefined,
    },
    replies,
    sends: sent(
      'Purchase',
      { ordinal: 'A-1001', value: 1250, gclid: 'fromCookie' },
      { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: /^eyJ[\w-]+\.[\w-]+\.[\w-]{86}$/ },
    ),
  }),
  example('a page view of a person who refused advertising, with the other cookie', {
    event: { eventName: 'PageView' },
    captured: { _gcl_dc: 'GCL.1699999999.dc-cookie' },
    consent: { advertising: 'denied' },
    replies,
    sends: sent('PageView', { dclid: 'dc-cookie', adUserDataConsent: 'DENIED' }),
  }),
  example('a page view of a person who agreed to advertising, and not to data of the person for it', {
    event: { eventName: 'PageView' },
    captured: { dclid: 'CJ-dclid' },
    consent: { advertising: 'granted', adUserData: 'denied' },
    replies,
    sends: sent('PageView', { dclid: 'CJ-dclid', adUserDataConsent: 'DENIED' }),
  }),
  example('a refund, also where it has a mapping', {
    event: { eventName: 'Refund', data: cart },
    captured: { gclid: 'Cj0KCQ' },
    sends: { skipped: 'eventNotSupported' },
  }),
  example('an event without a mapping', {
    event: { eventName: 'Signed up' },
    captured: { gclid: 'Cj0KCQ' },
    sends: { skipped: 'filtered' },
  }),
  example('an e-mail address without a click id', {
    event: { eventName: 'Purchase', data: cart },
    user: ada,
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    {
      event: { eventName: 'Lead' },
      captured: { gclid: 'Cj0KCQ', dclid: 'second' },
      replies: [{ status: 200, json: { access_token: 'ya29.token', expires_in: 3599 } }],
      secrets,
    },
    {
      visitor: sentForPerson({}),
      email: sentForPerson({ userIdentifiers: [{ hashedEmail: adaDigests.canonicalMailbox }] }),
      customer: sentForPerson({ userIdentifiers: [{ hashedEmail: adaDigests.canonicalMailbox }] }),
    },
  ),
]
