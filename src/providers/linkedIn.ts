import { bearerAuth } from '#provider/form/authorization.ts'
import { currencyAmountText, unlessNegative } from '#provider/form/money.ts'
import { countryCode, ipv4Address, nonEmailId } from '#provider/form/normalise.ts'
import { asList } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { eventMapping, idCheck, identifier, optional, password, text, tokenCheck } from '#provider/form/variables.ts'
import { failedElements, joinElements, monthCheck, ruleCheck, userIdsOf } from './schemas/linkedIn.ts'

export default provider({
  label: 'LinkedIn',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
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
    externalId: plain('userId', nonEmailId),
  },
  requires: ['SHA256_EMAIL', 'captured.li_fat_id', 'PLAINTEXT_IP_ADDRESS', ['firstName', 'lastName']],
  captures: [{ query: 'li_fat_id', cookie: 'li_fat_id' }],
  maxAgeMs: 90 * 86_400_000,
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
