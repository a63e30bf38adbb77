import { remainingData } from '#provider/form/eventData.ts'
import { parseJsonObject } from '#provider/form/jsonObject.ts'
import type { Normalise } from '#provider/form/normalise.ts'
import type { CapturedValues, RequestContext } from '#provider/form/request.ts'
import { truncate } from '#provider/form/text.ts'
import { percentDecoded } from '#provider/form/url.ts'

// https://amplitude.com/docs/apis/analytics/http-v2, https://docs.mixpanel.com/reference/import-events and
// https://posthog.com/docs/data/ingestion-warnings
const placeholders = new Set([
  ...`0 -1 [] {} "" <nil> anon anonymous distinct_id distinctid email false guest id lmy47d n/a na nan nil none
  not_authenticated null true undefined unknown`.split(/\s+/),
  '[object object]',
])

/** The id, trimmed. Undefined for a placeholder such as `null` or `anonymous`, which analytics vendors reject. */
export function personId(id: unknown, maxLength = 1_024): string | undefined {
  const text = typeof id === 'string' ? id.trim() : ''
  const isPlaceholder = placeholders.has(text.toLowerCase()) || /^[0-]+$/.test(text)
  return text && !isPlaceholder ? truncate(text, maxLength) : undefined
}

/** Normalises a user id with `personId` and truncates it to `maxLength` characters. */
export const personIdOf = (maxLength: number): Normalise => {
  return (raw) => personId(raw, maxLength)
}

const noMembers: Readonly<Record<string, unknown>> = Object.freeze({})

/** The members of a cookie that holds a JSON object, plain or percent-encoded. Empty if there is none. */
export function jsonCookie(captured: CapturedValues, name: string): Readonly<Record<string, unknown>> {
  const text = captured[name]?.value
  return (text && parseJsonObject(percentDecoded(text))) || noMembers
}

/**
 * The properties of an event for vendors that accept any: amount, order, coupon, search, items, and the customer's own
 * members of `data`. Undefined members are omitted from the request.
 */
export const analyticsProperties = ({
  data,
  items,
  coupon,
  value,
}: RequestContext): Readonly<Record<string, unknown>> => ({
  ...remainingData(data, 'contents', 'orderId', 'discounts', 'valueBeforeDiscount', 'checkoutUrl'),
  value,
  order_id: data.orderId,
  coupon,
  contents: items.length > 0 ? items : undefined,
})

/**
 * `analyticsProperties` as texts, for vendors that accept no other values: without `value` and nested values, and with
 * the items as a list of ids.
 */
export function textProperties(context: RequestContext): Readonly<Record<string, string>> {
  const { value: _, contents: __, ...properties } = analyticsProperties(context)
  const ids = context.items.flatMap(({ id }) => id ?? [])
  const flat = Object.entries(properties).filter(([, each]) => ['string', 'number', 'boolean'].includes(typeof each))
  return {
    ...Object.fromEntries(flat.map(([name, each]) => [name, String(each)])),
    ...(ids.length > 0 && { content_ids: ids.join(',') }),
  }
}

/** A vendor's limits: characters of a text, members of a list or an object, levels of nesting. */
type NestedLimits = { text: number; list: number; members: number; levels: number }

/** A value within a vendor's limits: texts are truncated, excess members and levels are omitted. */
export function within(value: unknown, limits: NestedLimits): unknown {
  if (typeof value !== 'object' || value === null) return truncate(value, limits.text)
  if (limits.levels === 0) return undefined
  const inner = { ...limits, levels: limits.levels - 1 }
  if (Array.isArray(value)) {
    const list = value.slice(0, limits.list).map((each) => within(each, inner))
    return list.filter((each) => each !== undefined)
  }
  const members = Object.entries(value).filter(([name, each]) => each !== undefined && name.length <= limits.text)
  return Object.fromEntries(members.slice(0, limits.members).map(([name, each]) => [name, within(each, inner)]))
}

/** Adds `https://` to an address that is only a host name. */
export const withScheme = (address: string): string => (/^https?:\/\//i.test(address) ? address : `https://${address}`)
