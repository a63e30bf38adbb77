import { appIds } from '#provider/form/appIds.ts'
import type { RequestContext, RequestSpec } from '#provider/form/request.ts'
import { isoTime } from '#provider/form/time.ts'
import { flatProperties, revenueOf } from '#provider/vendors/attribution.ts'

const mobileIds = ['appsflyer_id', 'advertising_id', 'idfa', 'idfv', 'oaid', 'amazon_aid'] as const

type Context = Omit<RequestContext, 'user'>

/** The rich parameters of an event. `isShort`: without the lists and the customer's own values. */
export function eventValueOf({ event, data, items, coupon }: Context, isShort = false) {
  const ids = items.flatMap(({ id, sku }) => id ?? sku ?? [])
  const isListed = items.length > 0 && ids.length === items.length && !isShort
  const isPriced = isListed && items.every(({ item_price }) => item_price !== undefined)
  return {
    ...(!isShort && flatProperties(data, [...mobileIds, 'afUserId'])),
    af_order_id: data.orderId,
    ...(isListed && { af_content_id: ids, af_quantity: items.map(({ quantity = 1 }) => quantity) }),
    ...(isPriced && { af_price: items.map(({ item_price }) => item_price) }),
    af_search_string: data.search,
    af_coupon_code: coupon,
    event_id: event.eventId,
  }
}

/** The request for an event of the app; undefined where the id that AppsFlyer gave to the installation is not known. */
export function appRequest(
  context: Context,
  { app, s2sKey, ...known }: { app: string; s2sKey: string; eventName: string; [field: string]: string | undefined },
): RequestSpec | undefined {
  const ids = appIds(context, mobileIds)
  if (!ids.appsflyer_id) return undefined
  const { revenue, currency: eventCurrency } = revenueOf(context)
  const eventTime = isoTime(context.event.timestamp).replace('T', ' ').slice(0, -1)
  const [whole, short] = [false, true].map((isShort) => {
    const eventValue = JSON.stringify({ ...eventValueOf(context, isShort), af_revenue: revenue })
    return { ...ids, ...known, eventTime, eventCurrency, eventValue }
  })
  return {
    url: `https://api3.appsflyer.com/inappevent/${encodeURIComponent(app)}`,
    headers: { authentication: s2sKey },
    // a body has at most 1 KB
    json: Buffer.byteLength(JSON.stringify(whole)) <= 1_000 ? whole : short,
  }
}
