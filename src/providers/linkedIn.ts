import { bearerAuth } from '#provider/form/authorization.ts'
import type { PartialFailure } from '#provider/form/batch.ts'
import { mappedIdCheck } from '#provider/form/eventMapping.ts'
import { currencyAmountText, unlessNegative } from '#provider/form/money.ts'
import { countryCode, ipv4Address, nonEmailId } from '#provider/form/normalise.ts'
import { asList } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import type { CapturedValues, RequestSpec } from '#provider/form/request.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { eventMapping, idCheck, identifier, optional, password, text, tokenCheck } from '#provider/form/variables.ts'

/** The `check` of a version of the API. */
const monthCheck = (version: string) =>
  /^20\d\d(?:0[1-9]|1[0-2])$/.test(version) ? undefined : 'Write year and month: 202608.'

/** The `check` of a map of events to conversion rules. */
const ruleCheck = mappedIdCheck(/^\d{1,19}$/, 'Write the number of a conversion rule for each event.')

/** Several events are the `elements` of one request, which a header marks. */
const joinElements = (requests: readonly RequestSpec[]): RequestSpec => ({
  ...requests[0]!,
  headers: { ...requests[0]!.headers, 'x-restli-method': 'BATCH_CREATE' },
  json: { elements: requests.map(({ json }) => json) },
})

export default provider({
  label: 'LinkedIn',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  gvlId: 804,
  docs: 'https://learn.microsoft.com/en-us/linkedin/marketing/integrations/ads-reporting/conversions-api',
  dashboardUrl: 'https://www.linkedin.com/campaignmanager/',
  links: {
    onboarding: 'https://www.linkedin.com/help/lms/answer/a1655394',
    faq: 'https://learn.microsoft.com/en-us/linkedin/marketing/integrations/conversions/deduplication',
  },
  host: 'fixed',
  hasBrowserModule: true,

  secrets: {
    LINKEDIN_ACCESS_TOKEN: password(
      'Access token',
      'Campaign Manager, Measurement, Conversion tracking, Data sources, Direct API: the token of the Conversions API.',
      { check: tokenCheck },
    ),
    LINKEDIN_MAPPED_EVENTS: eventMapping(
      'the number of the conversion rule, which the URL of the rule in Campaign Manager ends with',
      '104012',
      { check: ruleCheck },
    ),
    LINKEDIN_PARTNER_ID: identifier(
      'Partner ID',
      'Of the Insight Tag. With it the page loads the Insight Tag as well.',
      {
        ...optional,
        usedBy: 'browser',
        check: idCheck,
      },
    ),
    // https://learn.microsoft.com/en-us/linkedin/marketing/integrations/conversions/deduplication
    LINKEDIN_BROWSER_EVENTS: eventMapping(
      'the number of another conversion rule, of the Insight Tag: LinkedIn has a rule for each source',
      '104013',
      { ...optional, usedBy: 'browser', check: ruleCheck },
    ),
    LINKEDIN_API_VERSION: text('API version', 'Year and month. LinkedIn retires a version after one year.', {
      ...optional,
      default: '202608',
      check: monthCheck,
    }),
  },

  events: {},
  eventMapping: 'LINKEDIN_MAPPED_EVENTS',
  user: {
    SHA256_EMAIL: hashed('email'),
    PLAINTEXT_IP_ADDRESS: plain('ip', ipv4Address),
    firstName: plain('firstName'),
    lastName: plain('lastName'),
    countryCode: plain('country', countryCode),
    externalId: plain('anyStableId', nonEmailId),
  },
  personId: 'anyStableId',
  requires: ['SHA256_EMAIL', 'captured.li_fat_id', 'PLAINTEXT_IP_ADDRESS', ['firstName', 'lastName']],
  captures: [{ query: 'li_fat_id', cookie: 'li_fat_id' }],
  maxAgeMs: 90 * 86_400_000,
  matchKeys: {
    strong: ['SHA256_EMAIL', 'captured.li_fat_id'],
    medium: ['externalId'],
    weak: ['firstName', 'lastName', 'countryCode', 'PLAINTEXT_IP_ADDRESS'],
  },
  dedup: 'eventId, for each conversion rule; the same as the event_id of the Insight Tag',

  request({ event, data: { currency }, user, value, captured }, secrets, ruleId) {
    const { firstName, lastName, countryCode: country, externalId } = user
    const amount = currencyAmountText(unlessNegative(value), currency)
    return {
      url: 'https://api.linkedin.com/rest/conversionEvents',
      headers: {
        authorization: bearerAuth(secrets.LINKEDIN_ACCESS_TOKEN),
        'linkedin-version': secrets.LINKEDIN_API_VERSION,
        'x-restli-protocol-version': '2.0.0',
      },
      json: {
        conversion: `urn:lla:llaPartnerConversion:${ruleId}`,
        conversionHappenedAt: event.timestamp,
        eventId: event.eventId,
        conversionValue: amount && currency ? { currencyCode: currency, amount } : undefined,
        user: {
          userIds: userIdsOf(user, captured),
          userInfo: firstName && lastName ? { firstName, lastName, countryCode: country } : undefined,
          externalIds: asList(externalId),
        },
      },
    }
  },
  batch: { maxEvents: 5_000, join: joinElements, partialFailures: failedElements },

  responseRules: [{ status: 423, verdict: 'retry' }],
})

type Ids = { SHA256_EMAIL?: string; PLAINTEXT_IP_ADDRESS?: string }

/** The ids of a person. The e-mail comes first. */
function userIdsOf({ SHA256_EMAIL, PLAINTEXT_IP_ADDRESS }: Ids, { li_fat_id }: CapturedValues) {
  const ids = { SHA256_EMAIL, LINKEDIN_FIRST_PARTY_ADS_TRACKING_UUID: li_fat_id?.value, PLAINTEXT_IP_ADDRESS }
  return Object.entries(ids).flatMap(([idType, idValue]) => (idValue ? [{ idType, idValue }] : []))
}

type Element = { status?: number; error?: { message?: string } }

/** The elements of a 200 that have an error status, in the order of the request. */
function failedElements(answer: unknown): PartialFailure[] {
  const { elements } = (answer ?? {}) as { elements?: Element[] }
  if (!Array.isArray(elements)) return []
  return elements.flatMap(({ status = 201, error }, row) => {
    if (status < 300) return []
    const isTransient = status === 429 || status === 423 || status === 408 || status >= 500
    return [{ row, verdict: isTransient ? ('retry' as const) : ('refused' as const), message: error?.message }]
  })
}
