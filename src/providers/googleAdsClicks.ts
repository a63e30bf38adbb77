import { bearer } from '#provider/authorization.ts'
import { ada, cart, serviceAccount } from '#provider/examples.ts'
import { googleToken, serviceAccountCheck } from '#provider/google.ts'
import { hashed, plain } from '#provider/identity.ts'
import { countryCode, googleMailbox, trimmed } from '#provider/normalise.ts'
import { type Captured, provider, some } from '#provider/provider.ts'
import { isoTime } from '#provider/time.ts'
import { eventPairs, identifier, optional, password, text } from '#provider/variables.ts'

// the Data Manager API: uploads by the Google Ads API are closed to new developers since June 2026
const api = 'https://datamanager.googleapis.com/v1/events:ingest'
const tokenScope = 'https://www.googleapis.com/auth/datamanager'

/** `GCL.<seconds>.<id>` and `2.1.k<id>$i<seconds>` → the id; what is neither is one. */
const idIn = (cookie: string | undefined) =>
  cookie && (/^GCL\.\d+\.(.+)$/.exec(cookie)?.[1] ?? /^\d+\.\d+\.k([^$]+)/.exec(cookie)?.[1] ?? cookie)

/** One click id: the vendor takes no two together. */
function clickOf({ gclid, _gcl_aw, gbraid, _gcl_ag, wbraid, _gcl_gb }: Captured) {
  const ids = {
    gclid: gclid?.value ?? idIn(_gcl_aw?.value),
    gbraid: gbraid?.value ?? idIn(_gcl_ag?.value),
    wbraid: wbraid?.value ?? idIn(_gcl_gb?.value),
  }
  const [first] = Object.entries(ids).filter(([, id]) => id)
  return first && { [first[0]]: first[1] }
}

const account = (id: string) => ({ accountType: 'GOOGLE_ADS', accountId: id.replace(/\D/g, '') })

const shared = {
  GOOGLE_ADS_CLICKS_CUSTOMER_ID: '123-456-7890',
  GOOGLE_ADS_CLICKS_MAPPED_EVENTS: '[["Purchase", 7001], ["Quiz finished", "7002"]]',
}
const secrets = {
  ...shared,
  GOOGLE_ADS_CLICKS_CLIENT_ID: 'client.apps.googleusercontent.com',
  GOOGLE_ADS_CLICKS_CLIENT_SECRET: 'client-secret',
  GOOGLE_ADS_CLICKS_REFRESH_TOKEN: '1//refresh',
}
const byUser = {
  grant_type: 'refresh_token',
  client_id: 'client.apps.googleusercontent.com',
  client_secret: 'client-secret',
  refresh_token: '1//refresh',
}

export default provider({
  label: 'Google Ads',
  stage: 'beta',
  // what is sent says that the person agreed to advertising, so no other category may let it through
  consent: ['advertising'],
  docs: 'https://developers.google.com/data-manager/api/devguides/events/google-ads/offline/send-events',
  dashboardUrl: 'https://ads.google.com/aw/conversions',
  hasActivation: true,
  host: 'fixed',

  secrets: {
    GOOGLE_ADS_CLICKS_CUSTOMER_ID: identifier(
      'Customer ID',
      'Of the account that owns the conversion actions: top right.',
      {
        placeholder: '123-456-7890',
      },
    ),
    GOOGLE_ADS_CLICKS_LOGIN_CUSTOMER_ID: identifier('Manager account ID', 'Where access is by one.', optional),
    GOOGLE_ADS_CLICKS_CLIENT_ID: identifier('OAuth client ID', 'Google Cloud console, Google Auth Platform, Clients.', {
      optional: true,
      helpLink: 'https://developers.google.com/data-manager/api/devguides/quickstart/set-up-access',
    }),
    GOOGLE_ADS_CLICKS_CLIENT_SECRET: password('OAuth client secret', 'Shown when the client is made.', optional),
    GOOGLE_ADS_CLICKS_REFRESH_TOKEN: password(
      'Refresh token',
      `For the scope ${tokenScope}. Publish the consent screen: while it is in testing, tokens die after 7 days.`,
      optional,
    ),
    GOOGLE_ADS_CLICKS_SERVICE_ACCOUNT_JSON: text(
      'Service account key',
      'Instead of the three above: IAM, Service accounts, Keys, the JSON file. Give its address access to the account.',
      { optional: true, sensitive: true, check: serviceAccountCheck },
    ),
    GOOGLE_ADS_CLICKS_MAPPED_EVENTS: eventPairs(
      'the number after ctId= in the address of the conversion action',
      '7001',
    ),
  },
  oneOf: [
    ['GOOGLE_ADS_CLICKS_CLIENT_ID', 'GOOGLE_ADS_CLICKS_CLIENT_SECRET', 'GOOGLE_ADS_CLICKS_REFRESH_TOKEN'],
    ['GOOGLE_ADS_CLICKS_SERVICE_ACCOUNT_JSON'],
  ],

  events: {},
  mapping: 'GOOGLE_ADS_CLICKS_MAPPED_EVENTS',
  user: {
    emailAddress: hashed('email', googleMailbox),
    phoneNumber: hashed('phone'),
    givenName: hashed('firstName'),
    familyName: hashed('lastName'),
    regionCode: plain('country', countryCode),
    postalCode: plain('zip', trimmed),
    ipAddress: plain('ip'),
    userAgent: plain('userAgent'),
  },
  requires: [
    ...(['gclid', '_gcl_aw', 'gbraid', '_gcl_ag', 'wbraid', '_gcl_gb'] as const).map(
      (name) => `captured.${name}` as const,
    ),
    'emailAddress',
    'phoneNumber',
    ['givenName', 'familyName', 'regionCode', 'postalCode'],
  ],
  captures: [
    { query: 'gclid', cookie: '_gcl_aw' },
    { query: 'gbraid', cookie: '_gcl_ag' },
    { query: 'wbraid', cookie: '_gcl_gb' },
  ],
  maxAgeMs: 90 * 86_400_000,
  dedup: 'events[].transactionId (the order, else the eventId), for each conversion action',

  before: {
    request: (secrets, now) =>
      googleToken(
        {
          clientId: secrets.GOOGLE_ADS_CLICKS_CLIENT_ID,
          clientSecret: secrets.GOOGLE_ADS_CLICKS_CLIENT_SECRET,
          refreshToken: secrets.GOOGLE_ADS_CLICKS_REFRESH_TOKEN,
          serviceAccount: secrets.GOOGLE_ADS_CLICKS_SERVICE_ACCOUNT_JSON,
        },
        tokenScope,
        now,
      ),
  },
  request({ event, user, value, captured, token }, secrets, name) {
    const { emailAddress, phoneNumber, givenName, familyName, regionCode, postalCode, ipAddress, userAgent } = user
    const manager = secrets.GOOGLE_ADS_CLICKS_LOGIN_CUSTOMER_ID
    const isWhole = givenName && familyName && regionCode && postalCode
    const userIdentifiers = [
      some({ emailAddress }),
      some({ phoneNumber }),
      isWhole ? { address: { givenName, familyName, regionCode, postalCode } } : undefined,
    ].filter((each) => each !== undefined)
    const items = event.data?.contents?.filter(({ id }) => id) ?? []
    return {
      url: api,
      headers: { authorization: bearer(token) },
      json: {
        destinations: [
          {
            operatingAccount: account(secrets.GOOGLE_ADS_CLICKS_CUSTOMER_ID),
            loginAccount: manager && account(manager),
            productDestinationId: name,
          },
        ],
        encoding: 'HEX',
        consent: { adUserData: 'CONSENT_GRANTED', adPersonalization: 'CONSENT_GRANTED' },
        events: [
          {
            transactionId: event.data?.orderId ?? event.eventId,
            eventTimestamp: isoTime(event.timestamp),
            eventSource: 'WEB',
            conversionValue: value,
            currency: event.data?.currency,
            adIdentifiers: clickOf(captured),
            userData: userIdentifiers.length > 0 ? { userIdentifiers } : undefined,
            eventDeviceInfo: some({ userAgent, ipAddress }),
            cartData: items.length > 0 ? { items: items.map(cartItem) } : undefined,
          },
        ],
      },
    }
  },
  many: { most: 2_000, at: 'events' },
  test: (send) => ({ ...send, json: { ...(send.json as object), validateOnly: true } }),

  examples: [
    {
      title: 'a purchase after a click, by a person of whom all is known',
      event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } },
      user: { ...ada, email: 'ada.lovelace+shop@gmail.com' },
      captured: { gclid: 'Cj0KCQ', wbraid: 'second' },
      secrets: { ...secrets, GOOGLE_ADS_CLICKS_LOGIN_CUSTOMER_ID: '9876543210' },
      replies: [{ status: 200, json: { access_token: 'ya29.token', expires_in: 3599 } }],
      sends: sent(
        {
          transactionId: 'A-1001',
          conversionValue: 59.98,
          currency: 'EUR',
          adIdentifiers: { gclid: 'Cj0KCQ' },
          userData: {
            userIdentifiers: [
              { emailAddress: 'cd98a25152ad884b29e524ea5d3d8d35615ed0afbbc5ea3a6d4215572b0b2bde' },
              { phoneNumber: 'b4267a2234e2072fa4d2e8d89fbe727c50fc414731d6ecacc2ed3d00f05038d1' },
              {
                address: {
                  givenName: 'fdee430d40bd57deeac186cd9790033d0f06f909a8806e7ce6e717ab7c7d5029',
                  familyName: 'fb1e7ec987523d2cb9e022cec1d6ae7c99dc46edfae4fe51254025fe4bea571f',
                  regionCode: 'GB',
                  postalCode: 'W1A 1AA',
                },
              },
            ],
          },
          eventDeviceInfo: { userAgent: 'Mozilla/5.0', ipAddress: '81.2.69.142' },
          cartData: { items: [{ merchantProductId: 'sku-1', quantity: 2, unitPrice: 29.99 }] },
        },
        { productDestinationId: '7001', loginAccount: { accountType: 'GOOGLE_ADS', accountId: '9876543210' } },
      ),
    },
    {
      title: 'a custom event that is paired, with the click id of the cookie, validated only',
      event: { eventName: 'Quiz finished' },
      captured: { _gcl_aw: 'GCL.1699999999.fromCookie' },
      secrets,
      replies: [{ status: 200, json: { access_token: 'ya29.token', expires_in: 3599 } }],
      test: true,
      sends: sent(
        { transactionId: 'evt-1', adIdentifiers: { gclid: 'fromCookie' } },
        { productDestinationId: '7002' },
        { validateOnly: true },
      ),
    },
    {
      title: 'a token by the key file of a service account, which does not say where the token is asked for',
      event: { eventName: 'Purchase' },
      user: { phone: ada.phone },
      secrets: { ...shared, GOOGLE_ADS_CLICKS_SERVICE_ACCOUNT_JSON: serviceAccount },
      replies: [{ status: 200, json: { access_token: 'ya29.token', expires_in: 3599 } }],
      sends: sent(
        {
          transactionId: 'evt-1',
          userData: {
            userIdentifiers: [{ phoneNumber: 'b4267a2234e2072fa4d2e8d89fbe727c50fc414731d6ecacc2ed3d00f05038d1' }],
          },
        },
        { productDestinationId: '7001' },
        {},
        { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: /^eyJ[\w-]+\.[\w-]+\.[\w-]{86}$/ },
      ),
    },
    {
      title: 'an event that is paired with no conversion action',
      event: { eventName: 'PageView' },
      captured: { gclid: 'Cj0KCQ' },
      secrets,
      sends: { skipped: 'filtered' },
    },
    {
      title: 'a country and a name without the rest of the address tell nobody',
      event: { eventName: 'Purchase' },
      user: { firstName: 'Ada', lastName: 'Lovelace', country: 'GB' },
      secrets,
      sends: { skipped: 'identityMissing' },
    },
  ],
})

type Item = { id?: string; quantity?: number; item_price?: number }
const cartItem = ({ id, quantity = 1, item_price }: Item) => ({
  merchantProductId: id,
  quantity,
  unitPrice: item_price,
})

/** The request for a token and what follows of one event: the examples say only what they add. */
function sent(event: object, destination: object, body: object = {}, token: object = byUser) {
  return [
    {
      url: 'https://oauth2.googleapis.com/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: token,
    },
    {
      url: 'https://datamanager.googleapis.com/v1/events:ingest',
      headers: { 'content-type': 'application/json', authorization: 'Bearer ya29.token' },
      body: {
        destinations: [{ operatingAccount: { accountType: 'GOOGLE_ADS', accountId: '1234567890' }, ...destination }],
        encoding: 'HEX',
        consent: { adUserData: 'CONSENT_GRANTED', adPersonalization: 'CONSENT_GRANTED' },
        events: [{ eventTimestamp: '2023-11-14T22:13:20.000Z', eventSource: 'WEB', ...event }],
        ...body,
      },
    },
  ]
}
