import type { EventItem } from '#contract/event.ts'

/** Id, variant and price are required. Without a currency Attentive reads the price as USD. */
export const itemOf = (
  { id, variantId, title, image, url, item_price: value, quantity = 1 }: EventItem,
  currency: string,
) => ({
  productId: id,
  productVariantId: variantId ?? id,
  name: title,
  productImage: image,
  productUrl: url,
  price: [{ value, currency }],
  quantity,
})
