import type { PartialFailure } from '#provider/form/batch.ts'
import { toUuid } from '#provider/form/ids.ts'
import type { CapturedValues, RequestContext } from '#provider/form/request.ts'
import { analyticsProperties, jsonCookie, personId, within } from '#provider/vendors/analytics.ts'

/** The cookie of the browser SDK: percent-encoded JSON (from public implementations, not documented). */
export function browserOf(captured: CapturedValues, token: string) {
  const cookie = jsonCookie(captured, `mp_${token}_mixpanel`)
  return { distinctId: personId(cookie.distinct_id), deviceId: personId(cookie.$device_id) }
}

/**
 * Mixpanel takes at most 36 letters, digits and dashes; any other id is replaced by the UUID that is derived from it.
 */
export const insertId = (eventId: string): string =>
  (/^[A-Za-z0-9-]{1,36}$/.test(eventId) ? personId(eventId) : undefined) ?? toUuid(eventId)

/**
 * Of an event, of a list and of an object Mixpanel takes fewer than 255 members; a property may be nested three levels
 * deep.
 */
export const propertiesOf = (context: RequestContext): object =>
  within(analyticsProperties(context), { text: 8_000, list: 254, members: 200, levels: 4 }) as object

type Answer = { failed_records?: { index: number; message?: string }[]; num_records_imported?: number }

/** Of a 400 Mixpanel keeps the events that it does not list. */
export function failedRows(answer: unknown): PartialFailure[] {
  const { failed_records: failed = [], num_records_imported: kept = 0 } = answer as Answer
  return kept === 0 ? [] : failed.map(({ index, message }) => ({ row: index, verdict: 'refused', message }))
}
