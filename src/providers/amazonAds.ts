import { bearerAuth } from '#provider/form/authorization.ts'
import { type ConsentSignals, consentWord } from '#provider/form/consentSignals.ts'
import { totalQuantity } from '#provider/form/items.ts'
import { roundedToHundredths, unlessNegative } from '#provider/form/money.ts'
import { countryCode, type Normalise, phoneDigits, withoutSpaces } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import { regionHost } from '#provider/form/region.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { isoTime } from '#provider/form/time.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { choice, identifier, optional, password, text } from '#provider/form/variables.ts'
import { customExceptRefund } from '#provider/vendors/noRefunds.ts'

const hosts = {
  NA: 'advertising-api.amazon.com',
  EU: 'advertising-api-eu.amazon.com',
  FE: 'advertising-api-fe.amazon.com',
} as const

const { check, choices } = choice('', '', Object.keys(hosts))

const orUndefined = (text: string) => text || undefined

/** Lower case, with only letters, digits and `. @ + -`, as in Amazon's own connector. */
const amazonEmail: Normalise = (raw) => /^[^@]+@[^@]+$/.exec(raw.toLowerCase().replace(/[^a-z0-9.@+-]/g, ''))?.[0]

/** Lower case, with only the letters a to z and digits: `Saint-Étienne` → `sainttienne`. */
const plainLetters: Normalise = (raw) => orUndefined(raw.toLowerCase().replace(/[^a-z0-9]/g, ''))

/** The `check` of the advertiser id. */
const longNumber = (id: string) => (/^\d{5,20}$/.test(id) ? undefined : 'Write only the number, in digits.')

/** The `check` of the name of a dataset. */
const datasetName = (name: string) =>
  /^[A-Za-z].{4,99}$/.test(name) ? undefined : 'Write 5 to 100 characters, of which the first is a letter.'

/** The `check` of a country. */
const capitalLetters = (code: string) => (/^[A-Z]{2}$/.test(code) ? undefined : 'Write two capital letters.')

type Answer = { error?: { index: number; errors?: { message?: string }[] }[] }

/** The rows in `error` of a 207 were rejected for good. `index`: the position in `events`. */
const failedRows = ({ error = [] }: Answer) =>
  error.map(({ index, errors }) => ({ row: index, verdict: 'refused' as const, message: errors?.[0]?.message }))

export default provider({
  label: 'Amazon Ads',
  stage: 'beta',
  // The request states consent to advertising, so no other category is allowed.
  consent: ['advertising'],
  gvlId: 793,
  docs: 'https://advertising.amazon.com/API/docs/en-us/amazon-ads/1-0/betas#tag/Events/operation/CreateEvent',
  dashboardUrl: 'https://advertising.amazon.com/',
  links: { onboarding: 'https://advertising.amazon.com/API/docs/en-us/guides/onboarding/overview' },
  hasActivation: true,
  host: 'fixed',

  secrets: {
    AMAZON_ADS_REGION: {
      ...text('Region', 'The region of the advertiser: NA (America), EU (Europe, Middle East, India), FE (Asia).'),
      ...{ choices, check, regionHosts: hosts },
    },
    AMAZON_ADS_ADVERTISER_ID: identifier(
      'Advertiser ID',
      'Amazon DSP, the advertiser, Settings: the number (CFID), not the entity ID.',
      { placeholder: '583249175402917', check: longNumber },
    ),
    AMAZON_ADS_CLIENT_ID: identifier('Client ID', 'Login with Amazon, Security profiles: of an app with the Ads API.', {
      placeholder: 'amzn1.application-oa2-client.…',
    }),
    AMAZON_ADS_CLIENT_SECRET: password('Client secret', 'Shown in the same security profile.'),
    AMAZON_ADS_REFRESH_TOKEN: password('Refresh token', 'Of the grant of an advertiser to the app. Atzr|…'),
    AMAZON_ADS_DATASET_NAME: text(
      'Dataset',
      'Where the events go: Events Manager. Default of Amazon: Default_Events.',
      {
        ...optional,
        check: datasetName,
      },
    ),
    AMAZON_ADS_COUNTRY_CODE: text('Country', 'For people whose country is not known: two capital letters.', {
      ...optional,
      placeholder: 'US',
      check: capitalLetters,
    }),
  },

  events: {
    PageView: 'PAGE_VIEW',
    ViewContent: 'OTHER',
    AddToCart: 'ADD_TO_SHOPPING_CART',
    InitiateCheckout: 'CHECKOUT',
    AddPaymentInfo: 'OTHER',
    Purchase: 'OFF_AMAZON_PURCHASES',
    Subscribe: 'SUBSCRIBE',
    Search: 'SEARCH',
    Lead: 'LEAD',
    CompleteRegistration: 'SIGN_UP',
    Contact: 'CONTACT',
    SubmitApplication: 'APPLICATION',
  },
  customEventName: customExceptRefund('OTHER'),
  user: {
    EMAIL: hashed('email', amazonEmail),
    PHONE: hashed('phone', phoneDigits),
    FIRST_NAME: hashed('firstName', plainLetters),
    LAST_NAME: hashed('lastName', plainLetters),
    CITY: hashed('city', plainLetters),
    STATE: hashed('state', plainLetters),
    POSTAL: hashed('zip', withoutSpaces),
    ip: plain('ip'),
    country: plain('country', countryCode),
  },
  personId: 'none',
  requires: ['EMAIL', 'PHONE', 'FIRST_NAME', 'LAST_NAME', 'CITY', 'STATE', 'POSTAL'],
  maxAgeMs: 7 * 86_400_000,
  matchKeys: {
    strong: ['EMAIL', 'PHONE'],
    weak: ['FIRST_NAME', 'LAST_NAME', 'CITY', 'STATE', 'POSTAL', 'country', 'ip'],
  },
  dedup: 'events[].eventId, the clientDedupeId of the browser tag',

  tokenRequest: {
    request: ({ AMAZON_ADS_CLIENT_ID: client_id, AMAZON_ADS_CLIENT_SECRET: client_secret, ...secrets }) => {
      const grant = { grant_type: 'refresh_token', refresh_token: secrets.AMAZON_ADS_REFRESH_TOKEN }
      return { url: 'https://api.amazon.com/auth/o2/token', form: { ...grant, client_id, client_secret } }
    },
  },
  request(context, secrets, conversionType) {
    const region = secrets.AMAZON_ADS_REGION
    const row = eventOf(context, conversionType, secrets)
    // In the EU region, Amazon accepts no event without it.
    if (region === 'EU' && !row.consent) return { skipped: 'consent' }
    const { AMAZON_ADS_ADVERTISER_ID: account, AMAZON_ADS_CLIENT_ID: client } = secrets
    return {
      url: `https://${regionHost(hosts, region)}/adsApi/v1/create/events`,
      headers: {
        authorization: bearerAuth(context.token),
        'amazon-ads-accountid': account,
        'amazon-ads-clientid': client,
      },
      json: { events: [row] },
    }
  },
  batch: { listPath: 'events', maxEvents: 100, partialFailures: failedRows },

  // 207 is the usual status, even if the whole request was rejected.
  errorMessage: 'error.0.errors.0.message',
  responseRules: [{ status: 207, path: 'error.0', verdict: 'refused' }],
})

/** The currencies that Amazon accepts. */
const currencies: ReadonlySet<string> = new Set(
  'AED AUD BRL CAD CNY DKK EUR GBP INR JPY MXN NOK NZD SAR SEK SGD TRY USD'.split(' '),
)

/**
 * The value of a purchase in its currency, or the score of any other event. Undefined for a purchase in a currency that
 * Amazon does not accept.
 */
function moneyOf(isPurchase: boolean, { data, value }: Pick<RequestContext, 'data' | 'value'>) {
  const { currency } = data
  const isTaken = currency === undefined || currencies.has(currency)
  const amount = isPurchase && !isTaken ? undefined : unlessNegative(value)
  return {
    value: amount === undefined ? undefined : roundedToHundredths(amount),
    currencyCode: isPurchase && isTaken ? currency : undefined,
  }
}

/** The consent to advertising, the strings of the banner, and the person's location. Undefined if none of them is known. */
function consentOf(
  signals: Pick<ConsentSignals, 'advertising' | 'adUserData' | 'strings'>,
  ipAddress: string | undefined,
) {
  const words = { granted: 'GRANTED', denied: 'DENIED' }
  const amznUserData = consentWord(signals.adUserData, words)
  const amznAdStorage = consentWord(signals.advertising, words)
  return unlessEmpty({
    geo: unlessEmpty({ ipAddress }),
    amazonConsent: unlessEmpty({ amznUserData, amznAdStorage }),
    tcf: signals.strings?.tcf,
    gpp: signals.strings?.gpp,
  })
}

/** Amazon accepts only letters, digits and underscores in custom data. */
const customData = (orderId: string | undefined) =>
  orderId && [{ name: 'order_id', dataType: 'STRING', value: orderId.replace(/[^A-Za-z0-9_]/g, '_') }]

type Defaults = { AMAZON_ADS_DATASET_NAME?: string; AMAZON_ADS_COUNTRY_CODE?: string }

/** One member of `events`. `user` holds the match keys by type, the IP address and the country. */
function eventOf(context: RequestContext, conversionType: string, defaults: Defaults) {
  const { event, data, items } = context
  const { ip, country, ...keys } = context.user
  const isPurchase = conversionType === 'OFF_AMAZON_PURCHASES'
  return {
    eventDescription: {
      name: event.eventName,
      conversionType,
      eventSource: 'WEBSITE',
      eventIngestionMethod: 'SERVER_TO_SERVER',
      dataSetName: defaults.AMAZON_ADS_DATASET_NAME,
    },
    eventTime: isoTime(event.timestamp),
    countryCode: country ?? defaults.AMAZON_ADS_COUNTRY_CODE,
    eventId: event.eventId,
    ...moneyOf(isPurchase, context),
    unitsSold: isPurchase ? totalQuantity(items) : undefined,
    matchKeys: Object.entries(keys).map(([type, value]) => ({ type, values: [value] })),
    consent: consentOf(context.consent, ip),
    customData: customData(data.orderId),
  }
}
