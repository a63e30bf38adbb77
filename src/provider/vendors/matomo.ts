import { hash } from 'node:crypto'
import type { EventItem } from '#contract/event.ts'
import { itemsWithId } from '#provider/form/items.ts'
import { roundedToHundredths } from '#provider/form/money.ts'
import type { Normalise } from '#provider/form/normalise.ts'
import type { CapturedValues, RequestContext, RequestParams } from '#provider/form/request.ts'

// Piwik PRO, which is based on Matomo, has the same cookie and fields.

/** The visitor id of a user without the cookie: always the same 16 hex digits. */
export const derivedVisitorId: Normalise = (userId) => hash('sha256', `visitor ${userId}`).slice(0, 16)

/**
 * The visitor id in a site's cookie, `_pk_id.<site>.<hash>`: 16 hex digits before the first dot. Without the cookie,
 * the derived id.
 */
export function visitorId(captured: CapturedValues, siteId: string, derived: string | undefined): string | undefined {
  const name = Object.keys(captured).find((each) => each.startsWith(`_pk_id.${siteId}.`))
  return (name && /^[0-9a-f]{16}(?=\.|$)/i.exec(captured[name]!.value)?.[0]) || derived
}

/** The query of one hit, in the format of the bulk API: `?idsite=1&rec=1`. Undefined parameters are omitted. */
export function hitQuery(params: RequestParams): string {
  const known = Object.entries(params).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  // A space as %20 is valid in every kind of query.
  return `?${new URLSearchParams(known).toString().replaceAll('+', '%20')}`
}

/** The sum of all items, if the price of each is known. */
function subtotal(items: readonly EventItem[]): number | undefined {
  if (items.length === 0 || items.some(({ item_price }) => item_price === undefined)) return undefined
  return roundedToHundredths(items.reduce((sum, { item_price = 0, quantity = 1 }) => sum + item_price * quantity, 0))
}

/** The amounts of an order, all in the site's single currency. */
export const orderAmounts = ({ data, items, value }: RequestContext): RequestParams => ({
  revenue: value,
  ec_st: subtotal(items),
  ec_tx: data.tax,
  ec_sh: data.shipping,
  ec_dt: data.discount,
})

/** The items with an id as JSON, each as a list. Undefined if there are none. */
export function itemRows(
  items: readonly EventItem[],
  rowOf: (item: EventItem & { id: string }) => unknown[],
): string | undefined {
  const rows = itemsWithId(items).map((item) => rowOf(item as EventItem & { id: string }))
  return rows.length > 0 ? JSON.stringify(rows) : undefined
}

/** A custom event: category, action, name of the first item (otherwise of the page), value. */
export const customEvent = ({ event, items, value }: RequestContext, name: string): RequestParams => ({
  e_c: 'ecommerce',
  e_a: name.trim(),
  e_n: items[0]?.title ?? items[0]?.id ?? event.pageTitle,
  e_v: value !== undefined && value >= 0 ? value : undefined,
})
