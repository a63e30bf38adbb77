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

/** An item with what a line of an order needs. */
type OrderLine = EventItem & { id: string; item_price: number; quantity: number }

/**
 * The items as lines of an order whose amounts a vendor adds up, in whole pieces. Undefined where there are none, or where
 * one has no id or no price: the sum of the others would be less than the order.
 */
export function orderLines(items: readonly EventItem[]): OrderLine[] | undefined {
  const pieces = wholePieces(items)
  const lines = pieces.filter((item): item is OrderLine => Boolean(item.id) && item.item_price !== undefined)
  return lines.length > 0 && lines.length === pieces.length ? lines : undefined
}

/** The items that have an id. */
export const itemsWithId = (items: readonly EventItem[]): readonly EventItem[] => items.filter(({ id }) => id)

/** `items.map`; undefined where there are no items. */
export const mapItems = <T>(items: readonly EventItem[], make: (item: EventItem) => T): T[] | undefined =>
  items.length > 0 ? items.map(make) : undefined

/** The fields of all items in one object, numbered from 1: `Sku1`, `Sku2`. Undefined where there are no items. */
export function numberedFields<Item extends EventItem>(
  items: readonly Item[],
  make: (item: Item) => RequestParams,
): RequestParams | undefined {
  const fields = items.flatMap((item, index) =>
    Object.entries(make(item)).map(([field, value]) => [`${field}${index + 1}`, value] as const),
  )
  return items.length > 0 ? Object.fromEntries(fields) : undefined
}
