import { provider } from '#provider/form/provider.ts'
import { region, regionHost } from '#provider/form/region.ts'
import type { CapturedValues, RequestContext, RequestSpec } from '#provider/form/request.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { truncate } from '#provider/form/text.ts'
import { isoTime } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { identifier } from '#provider/form/variables.ts'
import { analyticsProperties, jsonCookie } from '#provider/vendors/analytics.ts'

const hosts = { US: 'heapanalytics.com', EU: 'c.eu.heap-api.com' }

// Heap's page script records page views itself.
const { PageView: _, ...events } = standardEventNames

export default provider({
  label: 'Heap',
  stage: 'beta',
  consent: ['analytics', 'advertising', 'functional'],
  docs: 'https://developers.heap.io/reference/track-1',
  dashboardUrl: 'https://heapanalytics.com/app',
  links: {
    onboarding: 'https://help.heap.io/hc/en-us/articles/37271977321105-Step-1-Enrich-Your-Dataset-Via-APIs',
    introduction: 'https://developers.heap.io/reference/server-side-apis-overview',
    faq: 'https://developers.heap.io/reference/bulk-track',
  },
  host: 'fixed',

  secrets: {
    HEAP_APP_ID: identifier(
      'Environment ID',
      'Account, Manage, Projects, your project: the number of the environment. For tests take the one of Development.',
      {
        placeholder: '1234567890',
        check: (id: string) => (/^[\w-]{1,64}$/.test(id) ? undefined : 'Write the environment ID alone.'),
      },
    ),
    HEAP_REGION: region(hosts, 'EU where your address at Heap is eu.heapanalytics.com.'),
  },

  events,
  customEventName: (eventName) => truncate(eventName, maxText),
  user: { identity: plain('customerId', (raw) => truncate(raw.trim(), 255) || undefined) },
  personId: 'customerId',
  requires: ['identity', 'captured._hp2_id.*'],
  captures: [{ cookie: '_hp2_id.*' }],
  matchKeys: {
    strong: ['identity', 'captured._hp2_id.*'],
  },
  dedup: 'idempotency_key',

  request(context, { HEAP_APP_ID: app_id, HEAP_REGION: chosen }, name) {
    const { event, user, captured } = context
    // Heap rejects an event with both identity and user_id.
    const userFields = user.identity ? { identity: user.identity } : browserOf(captured, app_id)
    if (!userFields) return { skipped: 'identityMissing' }
    return {
      url: `https://${regionHost(hosts, chosen)}/api/track`,
      json: {
        app_id,
        ...userFields,
        event: name,
        timestamp: isoTime(event.timestamp),
        idempotency_key: event.eventId,
        properties: flatProperties(context),
      },
    }
  },
  batch: { maxEvents: 1_000, join: batchOf },
})

/** The maximum length of a name and of a text, in characters. */
const maxText = 1_024

/**
 * The visitor and the session in Heap's cookie: percent-encoded JSON (according to public implementations, not
 * documented).
 */
function browserOf(captured: CapturedValues, appId: string) {
  const { userId, sessionId } = jsonCookie(captured, `_hp2_id.${appId}`)
  const isId = (id: unknown): id is string => typeof id === 'string' && /^\d{1,16}$/.test(id)
  return isId(userId) ? { user_id: userId, session_id: isId(sessionId) ? sessionId : undefined } : undefined
}

/** As many texts as fit when Heap joins them with `||`. */
function joinable(texts: readonly string[]): string[] | undefined {
  let room = maxText
  const kept = texts.filter((each) => {
    room -= each.length + 2
    return room >= 0
  })
  return kept.length > 0 ? kept : undefined
}

const isFlat = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)

/** The properties of an event without nested values: Heap accepts texts, numbers and lists of texts. */
function flatProperties(context: RequestContext): object {
  const { event, items } = context
  const withId = items.filter(({ id }) => id)
  const own = Object.entries(analyticsProperties(context)).filter(
    ([name, value]) => name.length <= maxText && isFlat(value),
  )
  return {
    ...Object.fromEntries(own.map(([name, value]) => [name, truncate(value, maxText)])),
    content_ids: joinable(withId.map(({ id }) => id!)),
    quantities: joinable(withId.map(({ quantity = 1 }) => String(quantity))),
    page_url: truncate(event.pageUrl, maxText),
    page_title: truncate(event.pageTitle, maxText),
  }
}

function batchOf(requests: readonly RequestSpec[]): RequestSpec {
  const bodies = requests.map(({ json }) => json as { app_id: string })
  const events = bodies.map(({ app_id: _, ...row }) => row)
  return { ...requests[0]!, json: { app_id: bodies[0]!.app_id, events } }
}
