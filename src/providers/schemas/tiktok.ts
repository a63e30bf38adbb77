import type { EventItem } from '#contract/event.ts'

/** A member of `properties.contents`. */
export const contentOf = ({ id, title, category, brand, item_price: price, quantity }: EventItem) => ({
  content_id: id,
  content_name: title,
  content_category: category,
  brand,
  price,
  quantity,
})
