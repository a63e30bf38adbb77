import type { EventData, Item } from '#contract/event.ts'
import { itemsWithId, mapItems, totalQuantity, wholeQuantity } from '#provider/form/items.ts'
import { unlessNegative } from '#provider/form/money.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'

/** The URL that checks events and does not count them. */
export const toValidate = (url: string) => url.replace(/\/events$/, '/events/validate')

/** The `custom_data` of an event. */
export function customData(data: EventData, all: readonly Item[], value: number | undefined) {
  const items = itemsWithId(all)
  return unlessEmpty({
    currency: data.currency,
    value: unlessNegative(value),
    content_ids: mapItems(items, ({ id }) => id),
    contents: mapItems(items, (item) => ({
      id: item.id,
      quantity: wholeQuantity(item),
      item_price: unlessNegative(item.item_price),
    })),
    num_items: totalQuantity(items),
    order_id: data.orderId,
    search_string: data.search,
  })
}
