import { parseEventMapping } from '#provider/form/eventMapping.ts'
import type { RequestContext, RequestParams } from '#provider/form/request.ts'
import { isoTime } from '#provider/form/time.ts'
import { customEvent, itemRows, orderAmounts, visitorId } from '#provider/vendors/matomo.ts'

/** The types of e-commerce events. */
const types: Readonly<Record<string, string>> = {
  ViewContent: 'product-detail-view',
  AddToCart: 'add-to-cart',
  RemoveFromCart: 'remove-from-cart',
  Purchase: 'order',
}

/** SKU, name, categories, price, quantity, brand, variant, custom dimensions. */
const productsOf = ({ items }: RequestContext) =>
  itemRows(items, ({ id, title = '', category, item_price = 0, quantity = 1, brand = '', variantId = '' }) => {
    return [id, title, category ? [category] : [], item_price, quantity, brand, variantId, {}]
  })

/**
 * What an event is at Piwik PRO. An event without a type of its own can convert a goal: a hit that names one is nothing
 * else, so that an order would be lost
 * (https://developers.piwik.pro/en/latest/data_collection/processing/event_type_detection.html).
 */
function actionOf(context: RequestContext, name: string, goals: string | undefined): RequestParams {
  const { event, data, items, orderId, value } = context
  const { eventName } = event
  if (eventName === 'PageView') return {}
  if (eventName === 'Search' && data.search) return { search: data.search, search_count: data.contents && items.length }
  const e_t = Object.hasOwn(types, eventName) ? types[eventName] : undefined
  const goal = goals && parseEventMapping(goals)?.get(eventName)
  if (!e_t) return { ...customEvent(context, name), ...(goal && { idgoal: goal, revenue: value }) }
  const order = eventName === 'Purchase' ? { ec_id: orderId, ...orderAmounts(context) } : {}
  return { e_t, ...order, ec_products: productsOf(context) }
}

/** `2023-11-14 22:13:20`, UTC. */
const dateTime = (ms: number) => isoTime(ms).slice(0, 19).replace('T', ' ')

/** The parameters of a hit, without those that identify the person by a value of theirs. */
export function hitOf(context: RequestContext, name: string, appId: string, goals: string | undefined): RequestParams {
  const { event, captured, consent, user } = context
  const isAnonymous = consent.sharePii === 'denied' || consent.analytics === 'denied'
  return {
    url: event.pageUrl,
    action_name: event.pageTitle,
    urlref: event.referrer,
    _id: visitorId(captured, appId, user._id),
    cdt: dateTime(event.timestamp),
    r: event.eventId,
    uia: isAnonymous ? '1' : undefined,
    ...actionOf(context, name, goals),
  }
}
