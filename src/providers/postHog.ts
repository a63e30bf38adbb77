import { idUuid, isUuid } from '#provider/form/ids.ts'
import { emailAddress } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import type { RequestContext, RequestSpec } from '#provider/form/request.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { truncate } from '#provider/form/text.ts'
import { isoTime } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { baseUrl, identifier, optional, text, urlCheck } from '#provider/form/variables.ts'
import { analyticsProperties, jsonCookie, personId, personIdOf, withScheme } from '#provider/vendors/analytics.ts'

/** Characters of a `distinct_id`. */
const maxId = 200

/** `https://us.posthog.com` is the API for the customer's own data and accepts no events. */
const hostCheck = (url: string): string | undefined =>
  /^(https?:\/\/)?(us|eu|app)\.posthog\.com/i.test(url)
    ? 'Write the host that takes events: https://us.i.posthog.com or https://eu.i.posthog.com.'
    : urlCheck(withScheme(url))

export default provider({
  label: 'PostHog',
  stage: 'beta',
  consent: ['analytics', 'advertising', 'functional'],
  docs: 'https://posthog.com/docs/api/capture',
  dashboardUrl: 'https://us.posthog.com',
  links: {
    onboarding: 'https://posthog.com/docs/getting-started/install',
    introduction: 'https://posthog.com/tutorials/api-capture-events',
    faq: 'https://posthog.com/docs/data/ingestion-warnings',
  },
  host: 'tenant',

  secrets: {
    POSTHOG_PROJECT_API_KEY: identifier('Project API key', 'Settings, Project, General: Project API key. phc_…', {
      sensitive: true,
      placeholder: 'phc_…',
      check: (key: string) => (/^ph[xa]_/.test(key) ? 'Write the key of the project: phc_…' : undefined),
    }),
    POSTHOG_HOST: text('Host', 'Where PostHog takes your events. For the EU: https://eu.i.posthog.com.', {
      ...optional,
      default: 'https://us.i.posthog.com',
      check: hostCheck,
    }),
  },

  events: { ...standardEventNames, PageView: '$pageview' },
  // PostHog reserves names that begin with $.
  customEventName: (eventName) => (eventName.startsWith('$') ? undefined : truncate(eventName, 200)),
  user: {
    distinct_id: plain('customerId', personIdOf(maxId)),
    anonymousId: plain('anonymousId', personIdOf(maxId)),
    email: plain('email', emailAddress),
    ip: plain('ip'),
    userAgent: plain('userAgent'),
  },
  personId: 'customerId',
  requires: ['distinct_id', 'anonymousId', 'captured.ph_*_posthog'],
  captures: [{ cookie: 'ph_*_posthog' }],
  matchKeys: {
    strong: ['distinct_id', 'email', 'captured.ph_*_posthog'],
    medium: ['anonymousId'],
  },
  dedup: 'uuid, where the eventId is a UUID; without a guarantee',

  request(context, { POSTHOG_PROJECT_API_KEY: api_key, POSTHOG_HOST: host }, name) {
    const { event, user } = context
    const { distinctId, sessionId } = browserOf(context, api_key)
    const distinct_id = user.distinct_id ?? distinctId ?? user.anonymousId
    if (!distinct_id) return { skipped: 'identityMissing' }
    const properties = {
      ...analyticsProperties(context),
      $current_url: event.pageUrl,
      $referrer: event.referrer,
      title: event.pageTitle,
      $ip: user.ip,
      // Without an IP address, PostHog would locate the visitor by our server's address.
      $geoip_disable: user.ip ? undefined : true,
      $raw_user_agent: user.userAgent,
      $session_id: sessionId,
      $insert_id: event.eventId,
      // An event with a profile costs more.
      $process_person_profile: user.distinct_id ? undefined : false,
      $set: user.distinct_id && unlessEmpty({ email: user.email }),
    }
    return {
      url: `${baseUrl(withScheme(host))}${capturePath}`,
      json: {
        api_key,
        event: name,
        distinct_id,
        uuid: uuidOf(event.eventId),
        timestamp: isoTime(event.timestamp),
        properties,
      },
    }
  },
  // 100 is our own limit: PostHog limits bytes only
  batch: {
    maxEvents: 100,
    maxBytes: 5_000_000,
    join: batchOf,
  },
})

/** The cookie of the browser SDK: percent-encoded JSON (according to public implementations, not documented). */
function browserOf(context: Pick<RequestContext, 'captured' | 'session' | 'event'>, key: string) {
  const { distinct_id, $sesid } = jsonCookie(context.captured, `ph_${key}_posthog`)
  const session = Array.isArray($sesid) ? $sesid[1] : undefined
  const sessionId = typeof session === 'string' ? session : ownSessionId(context)
  return { distinctId: personId(distinct_id, maxId), sessionId }
}

/**
 * PostHog accepts a UUIDv7 that is not newer than the event and at most 24 hours older:
 * https://posthog.com/docs/data/sessions
 */
function ownSessionId({ session, event }: Pick<RequestContext, 'session' | 'event'>): string | undefined {
  if (!session) return undefined
  const ageMs = event.timestamp - session.startedAt
  return ageMs >= 0 && ageMs < 86_400_000 ? idUuid(session.sessionId) : undefined
}

/** The event id if it is a UUID: PostHog drops events with other ids. */
const uuidOf = (eventId: string) => (isUuid(eventId) ? eventId : undefined)

type Event = { api_key: string; distinct_id: string; properties: object }

/** In a batch, the person's id is one of the properties. */
const rowOf = ({ json }: RequestSpec) => {
  const { api_key: _, distinct_id, properties, ...row } = json as Event
  return { ...row, properties: { distinct_id, ...properties } }
}

/** The path of one event, and of several. */
const capturePath = '/i/v0/e/'

const batchPath = '/batch/'

function batchOf(requests: readonly RequestSpec[]): RequestSpec {
  const { url, json } = requests[0]!
  const { api_key } = json as Event
  return { url: url.slice(0, -capturePath.length) + batchPath, json: { api_key, batch: requests.map(rowOf) } }
}
