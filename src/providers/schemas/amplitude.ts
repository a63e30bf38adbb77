import type { RequestContext } from '#provider/form/request.ts'
import { truncate } from '#provider/form/text.ts'
import { analyticsProperties, jsonCookie, personId, within } from '#provider/vendors/analytics.ts'

/** Characters of any text. */
export const maxText = 1_024

/** The cookie of the browser SDK: base64 of percent-encoded JSON (from public implementations, not documented). */
export function browserOf({ captured, session }: Pick<RequestContext, 'captured' | 'session'>, apiKey: string) {
  const packed = captured[`AMP_${apiKey.slice(0, 10)}`]
  const cookie = packed && { ...packed, value: Buffer.from(packed.value, 'base64').toString() }
  const { deviceId, sessionId } = jsonCookie(cookie ? { cookie } : {}, 'cookie')
  return {
    device_id: personId(captured.amp_device_id?.value) ?? personId(deviceId),
    // the start of the session in epoch ms, as Amplitude's SDKs number it
    session_id: Number.isSafeInteger(sessionId) ? sessionId : session?.startedAt,
  }
}

/**
 * The revenue of a purchase. `price` and `quantity` are not sent, because Amplitude then takes their product as the
 * revenue.
 */
export function revenueOf({ event, data, items, value }: RequestContext) {
  if (event.eventName !== 'Purchase' || value === undefined) return {}
  const productId = items.length === 1 ? truncate(items[0]!.id, maxText) : undefined
  return { revenue: value, currency: data.currency, revenueType: 'Purchase', productId }
}

export function propertiesOf(context: RequestContext): unknown {
  const { pageUrl: page_url, pageTitle: page_title, referrer } = context.event
  const limits = { text: maxText, list: 1_000, members: 1_000, levels: 20 }
  return within({ ...analyticsProperties(context), page_url, page_title, referrer }, limits)
}
