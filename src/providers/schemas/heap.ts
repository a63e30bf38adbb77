import type { CapturedValues, RequestContext, RequestSpec } from '#provider/form/request.ts'
import { truncate } from '#provider/form/text.ts'
import { analyticsProperties, jsonCookie } from '#provider/vendors/analytics.ts'

/** Characters of a name and of a text. */
export const maxText = 1_024

/** The visitor and the session of Heap's cookie: percent-encoded JSON (from public implementations, not documented). */
export function browserOf(captured: CapturedValues, appId: string) {
  const { userId, sessionId } = jsonCookie(captured, `_hp2_id.${appId}`)
  const isId = (id: unknown): id is string => typeof id === 'string' && /^\d{1,16}$/.test(id)
  return isId(userId) ? { user_id: userId, session_id: isId(sessionId) ? sessionId : undefined } : undefined
}

/** As many of the texts as Heap can join with `||`. */
function joinable(texts: readonly string[]): string[] | undefined {
  let room = maxText
  const kept = texts.filter((each) => {
    room -= each.length + 2
    return room >= 0
  })
  return kept.length > 0 ? kept : undefined
}

const isFlat = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)

/** The properties of an event without nested values: Heap takes texts, numbers and lists of texts. */
export function flatProperties(context: RequestContext): object {
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

export function batchOf(requests: readonly RequestSpec[]): RequestSpec {
  const bodies = requests.map(({ json }) => json as { app_id: string })
  const events = bodies.map(({ app_id: _, ...row }) => row)
  return { ...requests[0]!, json: { app_id: bodies[0]!.app_id, events } }
}
