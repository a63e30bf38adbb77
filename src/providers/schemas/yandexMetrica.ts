import type { EventItem } from '#contract/event.ts'
import type { RequestParams } from '#provider/form/request.ts'

/** The fields of the items, numbered from 1: `pr1id`, `pr1nm`, `pr2id`. */
export const numberedItems = (items: readonly EventItem[]): RequestParams =>
  Object.fromEntries(
    items.flatMap(({ id, sku, title, item_price, quantity = 1, category, brand }, index) =>
      Object.entries({ id: id ?? sku, nm: title, pr: item_price, qt: quantity, ca: category, br: brand }).map(
        ([field, value]) => [`pr${index + 1}${field}`, value],
      ),
    ),
  )
