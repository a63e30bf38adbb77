import { emailAddress } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import { region, regionHost } from '#provider/form/region.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { digitsCheck } from '#provider/form/valueChecks.ts'
import { checkbox, identifier, optional } from '#provider/form/variables.ts'
import { emailDigests, eventNames, eventOf, hosts, siteType, twoLetters } from './schemas/criteo.ts'

// the value of an order is that of its items; Criteo has no refunds
export default provider({
  label: 'Criteo',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://guides.criteotilt.com/events-api/',
  dashboardUrl: 'https://marketing.criteo.com/',
  links: {
    onboarding: 'https://guides.criteotilt.com/onetag/s2s/',
    introduction: 'https://doc.commandersact.com/features/destinations/destinations-catalog/criteo/criteo-events',
  },
  hidePurchaseValueMode: true,
  host: 'fixed',
  hasBrowserModule: true,

  secrets: {
    CRITEO_PARTNER_ID: identifier('Partner ID', 'The number of your account: Account settings, or the OneTag code.', {
      placeholder: '12345',
      check: digitsCheck,
    }),
    CRITEO_CALLER_ID: identifier(
      'Caller ID',
      'Criteo gives it for the matching of the cookie crto_mapped_user_id. Without it people are matched by e-mail alone.',
      { ...optional, placeholder: '1234', check: digitsCheck },
    ),
    CRITEO_BROWSER_ID: checkbox(
      'Visitor id in the page',
      'The page asks Criteo for its id of the visitor, which the events then hold. It needs the caller id.',
      { ...optional, usedBy: 'browser' },
    ),
    CRITEO_COUNTRY: twoLetters('Country', 'The country of the shop, in two letters.', 'DE'),
    CRITEO_LANGUAGE: twoLetters('Language', 'The language of the shop, in two letters.', 'de'),
    CRITEO_REGION: region(
      hosts,
      'Keep the default, unless events are refused with HTTP 307: then Criteo names the host.',
    ),
  },

  events: eventNames,
  user: {
    md5: hashed('email', emailAddress, 'md5'),
    sha256: hashed('email'),
    retailer_visitor_id: plain('userId'),
    ip: plain('ip'),
    useragent: plain('userAgent'),
  },
  requires: ['md5', 'sha256', 'captured.crto_mapped_user_id'],
  captures: [{ cookie: 'crto_mapped_user_id' }, { cookie: 'crto_is_user_optout' }],
  maxAgeMs: 15 * 60_000,
  dedup: 'events[].id of an order; events[].deduplication_page_view_id of a page view',

  request(context, secrets, name) {
    const { event, captured } = context
    const { md5, sha256, ...visitor } = context.user
    // https://github.com/criteo/gtm-criteo-useridentification: the person opted out at Criteo
    if (captured.crto_is_user_optout?.value === 'true') return { skipped: 'consent' }
    const { CRITEO_CALLER_ID: mapping_key } = secrets
    const mapped_user_id = captured.crto_mapped_user_id?.value
    const isMapped = mapping_key && mapped_user_id
    if (!isMapped && !md5 && !sha256) return { skipped: 'identityMissing' }
    return {
      url: `https://${regionHost(hosts, secrets.CRITEO_REGION)}/m/event`,
      query: { version: 's2s_v0' },
      json: {
        account: secrets.CRITEO_PARTNER_ID,
        version: 's2s_v1.0.0',
        site_type: siteType(visitor.useragent),
        id: { ...(isMapped && { mapping_key, mapped_user_id }), email: unlessEmpty(emailDigests({ md5, sha256 })) },
        full_url: event.pageUrl,
        previous_url: event.referrer,
        ...visitor,
        country: secrets.CRITEO_COUNTRY,
        language: secrets.CRITEO_LANGUAGE,
        events: [eventOf(name, context)],
      },
    }
  },

  // the status is 200 also for an event that was not taken
  responseRules: [{ status: 200, path: 'errors.0', verdict: 'refused' }],
})
