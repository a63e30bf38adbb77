import type { PartialFailure } from '#provider/form/batch.ts'
import type { RequestContext, RequestParams, RequestSpec } from '#provider/form/request.ts'
import { customEvent, hitQuery, itemRows, orderAmounts } from '#provider/vendors/matomo.ts'

/** What an event is at Matomo. A single added item is no cart update: Matomo would take it for the whole cart. */
export function actionOf(context: RequestContext, name: string, goal: string | undefined): RequestParams {
  const { event, data, items, orderId, value } = context
  const [item] = items
  if (event.eventName === 'PageView') return {}
  if (event.eventName === 'ViewContent')
    return { _pks: item?.id, _pkn: item?.title, _pkc: item?.category, _pkp: item?.item_price }
  if (event.eventName === 'Search' && data.search)
    return { search: data.search, search_count: data.contents && items.length }
  if (event.eventName !== 'Purchase')
    // where a goal is named, Matomo records the goal and leaves the event out
    return { ca: '1', ...customEvent(context, name), ...(goal && { idgoal: goal, revenue: value }) }
  const rows = itemRows(items, ({ id, title = '', category = '', item_price = 0, quantity = 1 }) => {
    return [id, title, category, item_price, quantity]
  })
  return { idgoal: '0', ec_id: orderId, ...orderAmounts(context), ec_items: rows }
}

/** Hits in the bulk interface, whose token stands beside them. */
export function bulkOf(requests: readonly RequestSpec[]): RequestSpec {
  const hits = requests.map(({ form: { token_auth: _, ...hit } = {} }) => hitQuery(hit))
  return { url: requests[0]!.url, json: { requests: hits, token_auth: requests[0]!.form?.token_auth } }
}

/** The hits that the bulk interface did not record. It recorded the others. */
export function failedRows(answer: unknown): PartialFailure[] {
  const { invalid_indices: rows = [] } = answer as { invalid_indices?: number[] }
  return rows.map((row) => ({ row, verdict: 'refused' }))
}
