import type { EventItem } from '#contract/event.ts'
import { withoutDust } from './money.ts'
import type { RequestParams } from './request.ts'

export { totalQuantity, wholeQuantity } from '#contract/itemQuantity.ts'

/**
 * The items for a vendor that pays by quantity times price and counts pieces: a fractional quantity becomes one piece
 * at the price of that quantity, so that the amount stays; an item of which nothing was bought is left out.
 */
export const wholePieces = (items: readonly EventItem[]): (EventItem & { quantity: number })[] =>
  items.flatMap((item) => {
    const { quantity = 1, item_price } = item
    if (!(quantity > 0)) return []
    if (Number.isSafeInteger(quantity)) return [{ ...item, quantity }]
    return [
      { ...item, quantity: 1, ...(item_price !== undefined && { item_price: withoutDust(item_price * quantity) }) },
    ]
  })

/** The items that have an id. */
export const itemsWithId = (items: readonly EventItem[]): readonly EventItem[] => items.filter(({ id }) => id)

/** `items.map`; undefined where there are no items. */
export const mapItems = <T>(items: readonly EventItem[], make: (item: EventItem) => T): T[] | undefined =>
  items.length > 0 ? items.map(make) : undefined

/** The fields of all items in one object, numbered from 1: `Sku1`, `Sku2`. Undefined where there are no items. */
export function numberedFields(
  items: readonly EventItem[],
  make: (item: EventItem) => RequestParams,
): RequestParams | undefined {
  const fields = items.flatMap((item, index) =>
    Object.entries(make(item)).map(([field, value]) => [`${field}${index + 1}`, value] as const),
  )
  return items.length > 0 ? Object.fromEntries(fields) : undefined
}
