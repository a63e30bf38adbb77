import { uuid5 } from '#provider/form/ids.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import { region, regionHost } from '#provider/form/region.ts'
import type { CapturedValues, RequestContext, RequestSpec } from '#provider/form/request.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { truncate } from '#provider/form/text.ts'
import { isoTime } from '#provider/form/time.ts'
import { percentDecoded } from '#provider/form/url.ts'
import { plain } from '#provider/form/userRule.ts'
import { noSpaces } from '#provider/form/valueChecks.ts'
import { password } from '#provider/form/variables.ts'
import { analyticsProperties } from '#provider/vendors/analytics.ts'

const hosts = { US: 'api.fullstory.com', EU: 'api.eu1.fullstory.com' }

// Fullstory's recording already contains page views.
const { PageView: _, ...events } = standardEventNames

export default provider({
  label: 'FullStory',
  stage: 'beta',
  consent: ['analytics', 'advertising', 'functional'],
  docs: 'https://developer.fullstory.com/server/events/create-event/',
  dashboardUrl: 'https://app.fullstory.com',
  links: {
    onboarding: 'https://developer.fullstory.com/introduction',
    introduction: 'https://developer.fullstory.com/server/events/introduction',
    faq: 'https://developer.fullstory.com/server/events/create-batch-events-import-job',
  },
  host: 'fixed',

  secrets: {
    FULLSTORY_API_KEY: password('API key', 'Settings, Integrations, API Keys: the level Standard is enough.', {
      placeholder: 'na1.…',
      check: noSpaces,
    }),
    FULLSTORY_REGION: region(hosts, 'EU where your address at Fullstory is app.eu1.fullstory.com.'),
  },

  events,
  customEventName: (eventName) => truncate(eventName, 250),
  user: {
    uid: plain('customerId', (raw) => truncate(raw.trim(), 256) || undefined),
    ip: plain('ip'),
    ua: plain('userAgent'),
  },
  personId: 'customerId',
  requires: ['uid', 'captured.fs_uid'],
  captures: [{ cookie: 'fs_uid' }],
  matchKeys: {
    strong: ['uid', 'captured.fs_uid'],
  },
  dedup: 'the header Idempotency-Key',

  request(context, { FULLSTORY_API_KEY: key, FULLSTORY_REGION: chosen }, name) {
    const { event, user } = context
    const session = sessionId(context.captured)
    if (!user.uid && !session) return { skipped: 'identityMissing' }
    // Fullstory rejects an event with both a user and a session id.
    const userFields = user.uid
      ? { user: { uid: user.uid }, session: { use_most_recent: true } }
      : { session: { id: session } }
    return {
      url: `https://${regionHost(hosts, chosen)}/v2/events`,
      headers: { authorization: `Basic ${key}`, 'idempotency-key': event.eventId },
      json: {
        name,
        timestamp: isoTime(event.timestamp),
        ...userFields,
        properties: analyticsProperties(context),
        context: contextOf(event, user),
      },
    }
  },
  // Several events use the import. It reports rejected events only when asked for the errors.
  batch: { maxEvents: 50_000, join: jobOf },

  responseRules: [{ status: 403, verdict: 'keyRejected' }],
})

/** The session in the cookie `#<org>#<user>:<session>:…` (according to public implementations, not documented). */
function sessionId({ fs_uid }: CapturedValues): string | undefined {
  const [, user, session] = /#[^#]*#([^#:/]+):([^#:/]+)/.exec(percentDecoded(fs_uid?.value ?? '')) ?? []
  return user && session ? `${user}:${session}` : undefined
}

/** The page, browser and IP address of an event. */
function contextOf(event: RequestContext['event'], { ip, ua }: { ip?: string; ua?: string }) {
  const browser = unlessEmpty({ url: event.pageUrl, user_agent: ua, initial_referrer: event.referrer })
  const location = unlessEmpty({ ip_address: ip })
  return unlessEmpty({ browser, location })
}

/** Imports several events. The same events have the same key. */
function jobOf(requests: readonly RequestSpec[]): RequestSpec {
  const [first] = requests
  const keys = requests.map(({ headers }) => headers?.['idempotency-key'])
  const headers = { ...first!.headers, 'idempotency-key': uuid5(keys.join('\n')) }
  return { url: `${first!.url}/batch`, headers, json: { requests: requests.map(({ json }) => json) } }
}
