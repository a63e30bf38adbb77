import { idUuid, isUuid } from '#provider/form/ids.ts'
import type { RequestContext, RequestSpec } from '#provider/form/request.ts'
import { urlCheck } from '#provider/form/variables.ts'
import { jsonCookie, personId, withScheme } from '#provider/vendors/analytics.ts'

/** Characters of a `distinct_id`. */
export const maxId = 200

/** The cookie of the browser SDK: percent-encoded JSON (from public implementations, not documented). */
export function browserOf(context: Pick<RequestContext, 'captured' | 'session' | 'event'>, key: string) {
  const { distinct_id, $sesid } = jsonCookie(context.captured, `ph_${key}_posthog`)
  const session = Array.isArray($sesid) ? $sesid[1] : undefined
  const sessionId = typeof session === 'string' ? session : ownSessionId(context)
  return { distinctId: personId(distinct_id, maxId), sessionId }
}

/**
 * PostHog takes a UUIDv7 that is not younger than the event and at most 24 hours older:
 * https://posthog.com/docs/data/sessions
 */
function ownSessionId({ session, event }: Pick<RequestContext, 'session' | 'event'>): string | undefined {
  if (!session) return undefined
  const ageMs = event.timestamp - session.startedAt
  return ageMs >= 0 && ageMs < 86_400_000 ? idUuid(session.sessionId) : undefined
}

/** PostHog drops an event with an id that is no UUID. */
export const uuidOf = (eventId: string) => (isUuid(eventId) ? eventId : undefined)

/** `https://us.posthog.com` is the API for the customer's own data and takes no events. */
export const hostCheck = (url: string): string | undefined =>
  /^(https?:\/\/)?(us|eu|app)\.posthog\.com/i.test(url)
    ? 'Write the host that takes events: https://us.i.posthog.com or https://eu.i.posthog.com.'
    : urlCheck(withScheme(url))

type Event = { api_key: string; distinct_id: string; properties: object }

/** In a batch the id of the person is one of the properties. */
const rowOf = ({ json }: RequestSpec) => {
  const { api_key: _, distinct_id, properties, ...row } = json as Event
  return { ...row, properties: { distinct_id, ...properties } }
}

/** The path of one event, and of several. */
export const capturePath = '/i/v0/e/'
const batchPath = '/batch/'

export function batchOf(requests: readonly RequestSpec[]): RequestSpec {
  const { url, json } = requests[0]!
  const { api_key } = json as Event
  return { url: url.slice(0, -capturePath.length) + batchPath, json: { api_key, batch: requests.map(rowOf) } }
}
