import { Type } from '#contract/schema.ts'
import { bearerOf, digest, type Got, insist, keyProblem, type MockVendor, text, time, unless } from './vendor.ts'

const types = [
  ...['ADD_TO_SHOPPING_CART', 'APPLICATION', 'CHECKOUT', 'CONTACT', 'LEAD', 'OFF_AMAZON_PURCHASES'],
  ...['MOBILE_APP_FIRST_START', 'PAGE_VIEW', 'SEARCH', 'SIGN_UP', 'SUBSCRIBE', 'OTHER'],
]
const currencies = 'AED AUD BRL CAD CNY DKK EUR GBP INR JPY MXN NOK NZD SAR SEK SGD TRY USD'.split(' ')
const strict = { additionalProperties: false }
const state = Type.Enum(['GRANTED', 'DENIED'])
const word = Type.String({ pattern: '^\\w+$' })
const Event = Type.Object(
  {
    eventDescription: Type.Object(
      {
        name: text,
        conversionType: Type.Enum(types),
        eventSource: Type.Literal('WEBSITE'),
        eventIngestionMethod: Type.Literal('SERVER_TO_SERVER'),
        dataSetName: Type.Optional(Type.String({ minLength: 5, maxLength: 100 })),
      },
      strict,
    ),
    eventTime: time,
    countryCode: Type.String({ pattern: '^[A-Z]{2}$' }),
    eventId: Type.Optional(text),
    value: Type.Optional(Type.Number({ minimum: 0 })),
    currencyCode: Type.Optional(Type.Enum(currencies)),
    unitsSold: Type.Optional(Type.Integer({ minimum: 1 })),
    matchKeys: Type.Array(
      Type.Object(
        {
          type: Type.Enum(['EMAIL', 'PHONE', 'FIRST_NAME', 'LAST_NAME', 'CITY', 'STATE', 'POSTAL']),
          values: Type.Array(digest, { minItems: 1, maxItems: 1 }),
        },
        strict,
      ),
      { minItems: 1, maxItems: 14 },
    ),
    consent: Type.Optional(
      Type.Object(
        {
          geo: Type.Optional(Type.Object({ ipAddress: text }, strict)),
          tcf: Type.Optional(text),
          gpp: Type.Optional(text),
          amazonConsent: Type.Optional(Type.Object({ amznUserData: state, amznAdStorage: state }, strict)),
        },
        { ...strict, minProperties: 1 },
      ),
    ),
    customData: Type.Optional(
      Type.Array(
        Type.Object({ name: word, dataType: Type.Enum(['STRING', 'INTEGER', 'TIMESTAMP']), value: word }, strict),
        { maxItems: 13 },
      ),
    ),
  },
  strict,
)
const issuesOfEvent = insist(Event)
const insistBody = insist(Type.Object({ events: Type.Array(Type.Object({}), { minItems: 1, maxItems: 500 }) }, strict))

type Row = { value?: number; currencyCode?: string; consent?: object; eventDescription?: { conversionType?: string } }
const rowsOf = ({ json }: Got): Row[] => {
  const { events } = (json ?? {}) as { events?: Row[] }
  return Array.isArray(events) ? events : []
}

function problemsOf(row: Row, isEurope: boolean): string[] {
  const isPurchase = row.eventDescription?.conversionType === 'OFF_AMAZON_PURCHASES'
  const hundredths = (row.value ?? 0) * 100
  return [
    ...issuesOfEvent(row),
    ...unless(!row.currencyCode || isPurchase, 'currencyCode is only for OFF_AMAZON_PURCHASES.'),
    ...unless(Math.abs(hundredths - Math.round(hundredths)) < 1e-3, 'value has more than two decimals.'),
    ...unless(!isEurope || Boolean(row.consent), 'consent is required in this region.'),
  ]
}

const isToken = ({ host }: Got) => host === 'api.amazon.com'
const grantProblems = ({ method, path, form, headers }: Got) => [
  ...unless(method === 'POST' && path === '/auth/o2/token', 'The path is not there.'),
  ...unless(form.grant_type === 'refresh_token' && !headers.authorization, 'unsupported_grant_type'),
  ...[form.client_id, form.client_secret, form.refresh_token].flatMap(keyProblem),
]
const multi = (error: readonly object[]) => ({ status: 207, json: { success: [], error } })

/** https://advertising.amazon.com/API/docs/en-us/amazon-ads/1-0/betas#tag/Events, and Login with Amazon. */
export const amazonAds: MockVendor = {
  hosts: /^(api|advertising-api(-eu|-fe)?)\.amazon\.com$/,
  check(got) {
    if (isToken(got)) return { key: grantProblems(got), payload: [] }
    const isEurope = got.host === 'advertising-api-eu.amazon.com'
    const { 'amazon-ads-accountid': account = '', 'amazon-ads-clientid': client } = got.headers
    return {
      key: [...keyProblem(bearerOf(got)), ...keyProblem(client)],
      payload: [
        ...unless(got.method === 'POST' && got.path === '/adsApi/v1/create/events', 'The path is not there.'),
        ...unless(/^\d+$/.test(account), 'The header Amazon-Ads-AccountId is wrong.'),
        ...insistBody(got.json),
        ...rowsOf(got).flatMap((row) => problemsOf(row, isEurope)),
      ],
    }
  },
  good: (got) =>
    isToken(got)
      ? { status: 200, json: { access_token: 'Atza|mock', token_type: 'bearer', expires_in: 3_600 } }
      : { status: 207, json: { success: rowsOf(got).map((event, index) => ({ index, event })), error: [] } },
  visit: { user: { userCountry: 'US' } },
  failures: {
    badKey: { reply: (message) => ({ status: 401, json: { code: 'UNAUTHORIZED', message } }), means: 'keyRejected' },
    badPayload: {
      reply: (message) => ({ status: 400, json: { code: 'BAD_REQUEST', message } }),
      means: 'payloadRefused',
    },
    noRights: { reply: (message) => ({ status: 403, json: { code: 'FORBIDDEN', message } }), means: 'payloadRefused' },
    refusedEvent: {
      reply: (message) => multi([{ index: 0, errors: [{ code: 'INVALID_ARGUMENT', message }] }]),
      means: 'payloadRefused',
    },
    throttled: { reply: (message) => ({ status: 429, json: { message } }), means: 'throttled' },
  },
}
