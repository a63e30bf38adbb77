import type { StandardEvent } from '#contract/standardEvents.ts'
import { type FieldTable, fieldTable, mapFields } from './fieldTable.ts'
import { amountOf, type Fields, fieldsOf, textOf } from './values.ts'

/**
 * The recommended events of GA4 that are standard events here.
 * https://developers.google.com/analytics/devguides/collection/ga4/reference/events
 */
const eventNames: ReadonlyMap<string, StandardEvent | 'Refund'> = new Map([
  ['page_view', 'PageView'],
  ['view_item', 'ViewContent'],
  ['add_to_cart', 'AddToCart'],
  ['remove_from_cart', 'RemoveFromCart'],
  ['begin_checkout', 'InitiateCheckout'],
  ['add_shipping_info', 'AddShippingInfo'],
  ['add_payment_info', 'AddPaymentInfo'],
  ['purchase', 'Purchase'],
  ['search', 'Search'],
  ['view_search_results', 'Search'],
  ['generate_lead', 'Lead'],
  ['subscribe', 'Subscribe'],
  ['refund', 'Refund'],
])

export const gaEventName = (name: string): string => eventNames.get(name) ?? name

const itemTable: FieldTable = fieldTable({
  item_id: ['id', textOf],
  item_name: ['title', textOf],
  item_brand: ['brand', textOf],
  item_category: ['category', textOf],
  item_variant: ['variantId', textOf],
  price: ['item_price', amountOf],
  quantity: ['quantity', amountOf],
})

const paramTable: FieldTable = fieldTable({
  transaction_id: ['orderId', textOf],
  value: ['value', amountOf],
  currency: ['currency', textOf],
  tax: ['tax', amountOf],
  shipping: ['shipping', amountOf],
  search_term: ['search', textOf],
  coupon: ['discounts', (value) => couponOf(textOf(value))],
  items: ['contents', itemsOf],
})

const couponOf = (code: string | undefined) => (code === undefined ? undefined : [{ code }])

function itemsOf(items: unknown): object[] | undefined {
  if (!Array.isArray(items) || items.length === 0) return undefined
  return items.map((each) => {
    const item: Record<string, unknown> = {}
    mapFields(fieldsOf(each), itemTable, item)
    return item
  })
}

/** The parameters of an event as `data`. */
export function gaData(params: Fields): Record<string, unknown> {
  const data: Record<string, unknown> = {}
  mapFields(params, paramTable, data)
  return data
}

/** The short names of an item's parameters in `pr1=idSKU~nmName~…`. */
const itemCodes: ReadonlyMap<string, string> = new Map([
  ['id', 'item_id'],
  ['nm', 'item_name'],
  ['br', 'item_brand'],
  ['ca', 'item_category'],
  ['c2', 'item_category2'],
  ['c3', 'item_category3'],
  ['c4', 'item_category4'],
  ['c5', 'item_category5'],
  ['va', 'item_variant'],
  ['pr', 'price'],
  ['qt', 'quantity'],
  ['ds', 'discount'],
  ['cp', 'coupon'],
  ['ln', 'item_list_name'],
  ['li', 'item_list_id'],
  ['lp', 'index'],
  ['af', 'affiliation'],
  ['lo', 'location_id'],
])

/** An item of `pr1=`: parts of a two-letter code and a value, between `~`. A part of another code keeps its code. */
export function gaItem(text: string): Record<string, string> {
  const item: Record<string, string> = {}
  for (const part of text.split('~', 100)) {
    const code = part.slice(0, 2)
    item[itemCodes.get(code) ?? code] = part.slice(2)
  }
  return item
}

const granted: ReadonlySet<string> = new Set(['t', 'r', 'n', 'v'])
const denied: ReadonlySet<string> = new Set(['p', 'q', 'm', 'u'])

/** A letter of `gcd`: how the default and the update of a signal add up; undefined where neither is set. */
function signalOf(letter = ''): boolean | undefined {
  const lower = letter.toLowerCase()
  if (granted.has(lower)) return true
  return denied.has(lower) ? false : undefined
}

const digits: Readonly<Record<string, boolean>> = { '1': true, '0': false }

/**
 * The consent state that gtag sends: `gcs=G1<ad_storage><analytics_storage>`, each 1, 0 or `-`; `gcd` has a letter at the
 * places 2, 4, 6 and 8 for ad_storage, analytics_storage, ad_user_data and ad_personalization.
 * Undefined where neither storage has a state.
 */
export function gaConsent(gcs: string, gcd: string): Record<string, boolean> | undefined {
  const advertising = digits[gcs[2] ?? ''] ?? signalOf(gcd[2])
  const analytics = digits[gcs[3] ?? ''] ?? signalOf(gcd[4])
  const sharePii = signalOf(gcd[6])
  if (advertising === undefined && analytics === undefined) return undefined
  return {
    ...(advertising !== undefined && { advertising }),
    ...(analytics !== undefined && { analytics }),
    ...(sharePii !== undefined && { share_pii: sharePii }),
  }
}
