import type { EventItem } from '#contract/event.ts'

/** An item as Branch names its fields; its price is in the currency of the order. */
export const contentItem = (currency: string | undefined) => (item: EventItem) => ({
  $sku: item.sku ?? item.id,
  $product_name: item.title,
  $price: item.item_price,
  $quantity: item.quantity ?? 1,
  $currency: currency,
  $product_brand: item.brand,
  $product_variant: item.variantId,
  $canonical_identifier: item.id,
  $canonical_url: item.url,
})

/** The same values as texts: `custom_data` takes no others. */
export const textsOf = (values: Readonly<Record<string, string | number | boolean>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([field, value]) => [field, String(value)]))
