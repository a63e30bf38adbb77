import { bearerAuth } from '#provider/form/authorization.ts'
import { countryCode, phoneDigits } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { regionHost } from '#provider/form/region.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { choice, identifier, optional, password, text } from '#provider/form/variables.ts'
import { customExceptRefund } from '#provider/vendors/noRefunds.ts'
import * as amazon from './schemas/amazonAds.ts'

const { hosts } = amazon
const { check, choices } = choice('', '', Object.keys(hosts))

export default provider({
  label: 'Amazon Ads',
  stage: 'beta',
  // the request states consent to advertising, so no other category is allowed
  consent: ['advertising'],
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
      { placeholder: '583249175402917', check: amazon.longNumber },
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
        check: amazon.datasetName,
      },
    ),
    AMAZON_ADS_COUNTRY_CODE: text('Country', 'For people whose country is not known: two capital letters.', {
      ...optional,
      placeholder: 'US',
      check: amazon.capitalLetters,
    }),
  },

  events: amazon.eventNames,
  customEventName: customExceptRefund('OTHER'),
  user: {
    EMAIL: hashed('email', amazon.amazonEmail),
    PHONE: hashed('phone', phoneDigits),
    FIRST_NAME: hashed('firstName', amazon.plainLetters),
    LAST_NAME: hashed('lastName', amazon.plainLetters),
    CITY: hashed('city', amazon.plainLetters),
    STATE: hashed('state', amazon.plainLetters),
    POSTAL: hashed('zip', amazon.withoutSpaces),
    ip: plain('ip'),
    country: plain('country', countryCode),
  },
  requires: ['EMAIL', 'PHONE', 'FIRST_NAME', 'LAST_NAME', 'CITY', 'STATE', 'POSTAL'],
  maxAgeMs: 7 * 86_400_000,
  dedup: 'events[].eventId, the clientDedupeId of the browser tag',

  tokenRequest: {
    request: ({ AMAZON_ADS_CLIENT_ID: client_id, AMAZON_ADS_CLIENT_SECRET: client_secret, ...secrets }) => {
      const grant = { grant_type: 'refresh_token', refresh_token: secrets.AMAZON_ADS_REFRESH_TOKEN }
      return { url: 'https://api.amazon.com/auth/o2/token', form: { ...grant, client_id, client_secret } }
    },
  },
  request(context, secrets, conversionType) {
    const region = secrets.AMAZON_ADS_REGION
    const row = amazon.eventOf(context, conversionType, secrets)
    // Amazon takes no event of the EU region without it
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
  batch: { listPath: 'events', maxEvents: 100, partialFailures: amazon.failedRows },

  // 207 is the usual status, also of a request of which nothing was taken
  errorMessage: 'error.0.errors.0.message',
  responseRules: [{ status: 207, path: 'error.0', verdict: 'refused' }],
})
