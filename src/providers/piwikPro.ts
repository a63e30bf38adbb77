import { eventMappingCheck, parseEventMapping } from '#provider/form/eventMapping.ts'
import { provider } from '#provider/form/provider.ts'
import type { RequestContext, RequestParams } from '#provider/form/request.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { isoTime } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { baseUrl, identifier, optional, text, urlCheck } from '#provider/form/variables.ts'
import { withScheme } from '#provider/vendors/analytics.ts'
import { customEvent, derivedVisitorId, hitQuery, itemRows, orderAmounts, visitorId } from '#provider/vendors/matomo.ts'

export default provider({
  label: 'Piwik PRO',
  stage: 'beta',
  consent: ['analytics', 'advertising', 'functional'],
  docs: 'https://developers.piwik.pro/en/latest/data_collection/api/http_api.html',
  links: {
    onboarding: 'https://help.piwik.pro/support/getting-started/',
    introduction: 'https://developers.piwik.pro/en/latest/data_collection/index.html',
    faq: 'https://help.piwik.pro/support/',
  },
  host: 'tenant',

  secrets: {
    PIWIK_PRO_URL: text('Address', 'The address at which you open Piwik PRO, or your own domain for it.', {
      placeholder: 'https://name.piwik.pro',
      check: (address: string) => urlCheck(withScheme(address)),
    }),
    PIWIK_PRO_APP_ID: identifier('App ID', 'Menu, Administration, Sites & apps, your app: below its name.', {
      placeholder: '892d04bd-6e2b-4914-bfb4-bac721b37235',
      check: (id: string) => (/^[\w-]{1,64}$/.test(id) ? undefined : 'Write the ID of the app alone.'),
    }),
    PIWIK_PRO_GOALS: text('Goals', 'Pairs of an event name and the ID of a goal, which is converted in its place.', {
      ...optional,
      placeholder: '[["Lead", "0d2b4f3a-6e2b-4914-bfb4-bac721b37235"]]',
      check: eventMappingCheck,
    }),
  },

  events: standardEventNames,
  customEventName: (eventName) => eventName,
  user: {
    _id: plain('anonymousId', derivedVisitorId),
    uid: plain('customerId'),
    ua: plain('userAgent'),
    cip: plain('ip'),
  },
  personId: 'customerId',
  captures: [{ cookie: '_pk_id.*' }],
  // Without authentication, a hit may be at most 24 hours old:
  // https://developers.piwik.pro/en/latest/data_collection/api/http_api.html
  maxAgeMs: 86_400_000,
  matchKeys: {
    strong: ['uid', 'captured._pk_id.*'],
    medium: ['_id'],
  },
  dedup: 'ec_id, for orders; other events have none',

  request(context, { PIWIK_PRO_URL: url, PIWIK_PRO_APP_ID: idsite, PIWIK_PRO_GOALS: goals }, name) {
    const { uid, ua, cip } = context.user
    const hit = { idsite, rec: '1', ...hitOf(context, name, idsite, goals), uid, ua, cip }
    return {
      url: `${baseUrl(withScheme(url))}/ppms.php`,
      headers: { 'user-agent': ua },
      json: { requests: [hitQuery(hit)] },
    }
  },
  // 50 is our own limit: Piwik PRO states none. Each hit also holds the user agent of its visitor
  batch: { listPath: 'requests', maxEvents: 50, singleEventHeaders: ['user-agent'] },
})

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
 * The hit that Piwik PRO records for an event. An event without its own type can convert a goal. A hit that names a
 * goal has no other type, so an order with a goal would be lost
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

/** The parameters of a hit, without those that hold a person's own values. */
function hitOf(context: RequestContext, name: string, appId: string, goals: string | undefined): RequestParams {
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
