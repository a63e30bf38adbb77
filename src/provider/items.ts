import type { Item } from '#contract/event.ts'
import type { Members } from './provider.ts'

/** How many pieces there are of all items, one without a quantity being one; undefined where there are no items. */
export const piecesIn = (items: readonly Item[]): number | undefined =>
  items.length > 0 ? items.reduce((sum, { quantity = 1 }) => sum + quantity, 0) : undefined

/** The items that have an id: a vendor can find no others. */
export const withId = (items: readonly Item[]): readonly Item[] => items.filter(({ id }) => id)

/** Each item as the vendor has it; undefined where there are none. */
export const each = <T>(items: readonly Item[], make: (item: Item) => T): T[] | undefined =>
  items.length > 0 ? items.map(make) : undefined

/** The fields of all items side by side, numbered from 1: `Sku1`, `Sku2`; undefined where there are none. */
export function numbered(items: readonly Item[], make: (item: Item) => Members): Members | undefined {
  const fields = items.flatMap((item, at) =>
    Object.entries(make(item)).map(([field, value]) => [`${field}${at + 1}`, value] as const),
  )
  return items.length > 0 ? Object.fromEntries(fields) : undefined
}
