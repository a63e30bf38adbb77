import { discountsOf, type FieldTable, fieldTable, mapFields } from './fieldTable.ts'
import { type PersonKeys, readTraits } from './personKeys.ts'
import { amountOf, type Fields, fieldsOf, quoted, textOf } from './values.ts'

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
  coupon: ['discounts', discountsOf],
  items: ['contents', itemsOf],
})

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
  ['pi', 'promotion_id'],
  ['pn', 'promotion_name'],
  ['cn', 'creative_name'],
  ['cs', 'creative_slot'],
])

const maxItemParts = 100

/**
 * An item of `pr1=`: parts of a two-letter code and a value, separated by `~`; `~~` is a `~` in the value. A custom
 * parameter has two parts, its name (`k0size`) and its value (`v0M`). A part with another code keeps its code.
 */
export function gaItem(text: string): Record<string, string> {
  const item: Record<string, string> = {}
  const ownNames = new Map<string, string>()
  let parts = 0
  for (const [, part = ''] of text.matchAll(/((?:[^~]|~~)+)(?:~|$)/g)) {
    if (++parts > maxItemParts) break
    const code = part.slice(0, 2)
    const value = part.slice(2).replaceAll('~~', '~')
    if (/^k[0-9A-Z]$/.test(code)) ownNames.set(code[1]!, value)
    else item[itemCodes.get(code) ?? ownNames.get(/^v([0-9A-Z])$/.exec(code)?.[1] ?? '') ?? code] = value
  }
  return item
}

const granted: ReadonlySet<string> = new Set(['t', 'r', 'n', 'v'])
const denied: ReadonlySet<string> = new Set(['p', 'q', 'm', 'u'])

/** A letter of `gcd`: the combined default and update of a signal; undefined if neither is set. */
function signalOf(letter = ''): boolean | undefined {
  const lower = letter.toLowerCase()
  if (granted.has(lower)) return true
  return denied.has(lower) ? false : undefined
}

const digits: Readonly<Record<string, boolean>> = { '1': true, '0': false }
/** The letters of a default without an update. */
const isDefault = (letter: string) => letter === 't' || letter === 'p'

/** `state`: the page set the map before the visitor answered. */
export type GaConsent = { map: Record<string, boolean>; state?: 'unanswered' | 'default' }

/**
 * The consent state that gtag sends. `gcs=G1<ad_storage><analytics_storage>`, each 1, 0 or `-`. `gcd` has a letter at
 * the places 2, 4, 6 and 8 for ad_storage, analytics_storage, ad_user_data and ad_personalization. Advertising needs
 * the first and the third. If no signal was updated, the visitor has not answered: the state is `unanswered` if a
 * default denies, `default` otherwise. Undefined if neither storage has a state.
 */
export function gaConsent(gcs: string, gcd: string): GaConsent | undefined {
  const letters = [2, 4, 6, 8].map((at) => (gcd[at] ?? '').toLowerCase())
  const [storage, analytics, sharePii, personalization] = letters.map(signalOf)
  const ads = digits[gcs[2] ?? ''] ?? storage
  const counted = digits[gcs[3] ?? ''] ?? analytics
  if (ads === undefined && counted === undefined) return undefined
  const known = letters.filter((letter) => signalOf(letter) !== undefined)
  const state = known.some((letter) => letter === 'p') ? 'unanswered' : 'default'
  return {
    map: {
      ...(ads !== undefined && { advertising: ads && sharePii !== false }),
      ...(counted !== undefined && { analytics: counted }),
      ...(sharePii !== undefined && { share_pii: sharePii }),
      ...(personalization !== undefined && { ad_personalization: personalization }),
    },
    ...(known.length > 0 && known.every(isDefault) && { state }),
  }
}

/** The names of `user_data` whose value is not a standard key under its last part. */
const userDataNames: ReadonlyMap<string, string> = new Map([['email_address', 'email']])

/**
 * The user-provided data of gtag, such as `ep.user_data.email` and `ep.user_data.address.city`, in plain text. `data`:
 * by the name after `user_data.`. A hashed value, or one without a standard key, becomes a note.
 */
export function gaUserData(data: ReadonlyMap<string, string>): { keys: PersonKeys; notes: string[] } {
  const keys: PersonKeys = {}
  const others: Record<string, unknown> = {}
  for (const [name, value] of data) {
    const last = name.slice(name.lastIndexOf('.') + 1)
    readTraits({ [userDataNames.get(last) ?? last]: value }, keys, others)
  }
  const names = Object.keys(others).filter((name) => !name.startsWith('_')) // `_tag_mode` is set by gtag itself
  return { keys, notes: names.slice(0, 5).map((name) => `its user data ${quoted(name)} is not mapped`) }
}
