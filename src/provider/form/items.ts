import type { EventItem } from '#contract/event.ts'
import { withoutFloatError } from './money.ts'
import type { RequestParams } from './request.ts'

export { totalQuantity, wholeQuantity } from '#contract/itemQuantity.ts'

/**
 * The items for a vendor that multiplies quantity by price and counts pieces. A fractional quantity becomes one piece
 * at the price of that quantity, so that the amount stays the same. Items without a positive quantity are omitted.
 */
export const wholePieces = (items: readonly EventItem[]): (EventItem & { quantity: number })[] =>
  items.flatMap((item) => {
    const { quantity = 1, item_price } = item
    if (!(quantity > 0)) return []
    if (Number.isSafeInteger(quantity)) return [{ ...item, quantity }]
    return [
      {
        ...item,
        quantity: 1,
        ...(item_price !== undefined && { item_price: withoutFloatError(item_price * quantity) }),
      },
    ]
  })

/** An item with the fields that an order line needs. */
type OrderLine = EventItem & { id: string; item_price: number; quantity: number }

/**
 * The items as order lines, in whole pieces, for a vendor that adds up their amounts. Undefined if there are no items,
 * or if one has no id or price: the sum would be less than the order.
 */
export function orderLines(items: readonly EventItem[]): OrderLine[] | undefined {
  const pieces = wholePieces(items)
  const lines = pieces.filter((item): item is OrderLine => Boolean(item.id) && item.item_price !== undefined)
  return lines.length > 0 && lines.length === pieces.length ? lines : undefined
}

/** The items that have an id. */
export const itemsWithId = (items: readonly EventItem[]): readonly EventItem[] => items.filter(({ id }) => id)

/** `items.map`. Undefined if there are no items. */
export const mapItems = <T>(items: readonly EventItem[], make: (item: EventItem) => T): T[] | undefined =>
  items.length > 0 ? items.map(make) : undefined

/** The fields of all items in one object, numbered from 1: `Sku1`, `Sku2`. Undefined if there are no items. */
export function numberedFields<Item extends EventItem>(
  items: readonly Item[],
  make: (item: Item) => RequestParams,
): RequestParams | undefined {
  const fields = items.flatMap((item, index) =>
    Object.entries(make(item)).map(([field, value]) => [`${field}${index + 1}`, value] as const),
  )
  return items.length > 0 ? Object.fromEntries(fields) : undefined
}
