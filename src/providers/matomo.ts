import type { PartialFailure } from '#provider/form/batch.ts'
import { eventMappingCheck, parseEventMapping } from '#provider/form/eventMapping.ts'
import { provider } from '#provider/form/provider.ts'
import type { RequestContext, RequestParams, RequestSpec } from '#provider/form/request.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { epochSeconds } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { noSpaces } from '#provider/form/valueChecks.ts'
import { baseUrl, identifier, optional, password, text, urlCheck } from '#provider/form/variables.ts'
import { withScheme } from '#provider/vendors/analytics.ts'
import { customEvent, derivedVisitorId, hitQuery, itemRows, orderAmounts, visitorId } from '#provider/vendors/matomo.ts'

const dayMs = 86_400_000

export default provider({
  label: 'Matomo',
  stage: 'beta',
  consent: ['analytics', 'advertising', 'functional'],
  docs: 'https://developer.matomo.org/api-reference/tracking-api',
  links: {
    onboarding: 'https://matomo.org/faq/how-to/create-and-manage-websites/',
    introduction: 'https://developer.matomo.org/guides/tracking-introduction',
    faq: 'https://matomo.org/faq/general/faq_114/',
  },
  host: 'tenant',

  secrets: {
    MATOMO_URL: text('Address', 'The address at which you open Matomo, without index.php.', {
      placeholder: 'https://shop.matomo.cloud',
      check: (address: string) => urlCheck(withScheme(address)),
    }),
    MATOMO_SITE_ID: identifier('Site ID', 'Administration, Websites, Manage: ID of the site.', {
      placeholder: '1',
      check: (id: string) => (/^\w{1,64}$/.test(id) ? undefined : 'Write the ID of the site alone.'),
    }),
    MATOMO_TOKEN_AUTH: password(
      'Authentication token',
      'Administration, Personal, Security, Auth tokens: of a user with write access. Without it visits have no place.',
      { ...optional, check: noSpaces, helpLink: 'https://matomo.org/faq/general/faq_114/' },
    ),
    MATOMO_GOALS: text('Goals', 'Pairs of an event name and the ID of a goal, which is converted in its place.', {
      ...optional,
      placeholder: '[["Lead", "3"]]',
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
  matchKeys: {
    strong: ['uid', 'captured._pk_id.*'],
    medium: ['_id'],
  },
  dedup: 'ec_id, for orders; other events have none',

  request(context, { MATOMO_URL: url, MATOMO_SITE_ID: idsite, MATOMO_TOKEN_AUTH: token, MATOMO_GOALS: goals }, name) {
    const { event, user, captured, now } = context
    // Without a token, Matomo accepts neither older times nor the visitor's IP address.
    if (!token && now - event.timestamp > dayMs) return { skipped: 'tooOld' }
    const goal = goals && parseEventMapping(goals)?.get(event.eventName)
    const form = {
      idsite,
      rec: '1',
      apiv: '1',
      send_image: '0',
      rand: event.eventId,
      url: event.pageUrl,
      action_name: event.pageTitle,
      urlref: event.referrer,
      _id: visitorId(captured, idsite, user._id),
      uid: user.uid,
      ua: user.ua,
      cip: token && user.cip,
      cdt: String(epochSeconds(event.timestamp)),
      ...actionOf(context, name, goal),
      token_auth: token,
    }
    return { url: `${baseUrl(withScheme(url))}/matomo.php`, form }
  },
  // 50 is our own limit: Matomo states none
  batch: {
    maxEvents: 50,
    join: bulkOf,
    partialFailures: failedRows,
  },
  toTestMode: (request) => ({ ...request, form: { ...request.form, debug: '1' } }),

  responseRules: [
    { status: 403, verdict: 'keyRejected' },
    { status: 200, path: 'status', equalsAny: ['error'], verdict: 'refused' },
  ],
})

/**
 * The action that Matomo records for an event. A single added item is not a cart update: Matomo would treat it as the
 * whole cart.
 */
function actionOf(context: RequestContext, name: string, goal: string | undefined): RequestParams {
  const { event, data, items, orderId, value } = context
  const [item] = items
  if (event.eventName === 'PageView') return {}
  if (event.eventName === 'ViewContent')
    return { _pks: item?.id, _pkn: item?.title, _pkc: item?.category, _pkp: item?.item_price }
  if (event.eventName === 'Search' && data.search)
    return { search: data.search, search_count: data.contents && items.length }
  if (event.eventName !== 'Purchase')
    // If a goal is set, Matomo records the goal and drops the event.
    return { ca: '1', ...customEvent(context, name), ...(goal && { idgoal: goal, revenue: value }) }
  const rows = itemRows(items, ({ id, title = '', category = '', item_price = 0, quantity = 1 }) => {
    return [id, title, category, item_price, quantity]
  })
  return { idgoal: '0', ec_id: orderId, ...orderAmounts(context), ec_items: rows }
}

/** Joins hits for the bulk API, with the token next to them. */
function bulkOf(requests: readonly RequestSpec[]): RequestSpec {
  const hits = requests.map(({ form: { token_auth: _, ...hit } = {} }) => hitQuery(hit))
  return { url: requests[0]!.url, json: { requests: hits, token_auth: requests[0]!.form?.token_auth } }
}

/** The hits that the bulk API did not record. It recorded the others. */
function failedRows(answer: unknown): PartialFailure[] {
  const { invalid_indices: rows = [] } = answer as { invalid_indices?: number[] }
  return rows.map((row) => ({ row, verdict: 'refused' }))
}
