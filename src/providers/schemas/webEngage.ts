import type { EventItem } from '#contract/event.ts'
import { mapItems } from '#provider/form/items.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { truncate } from '#provider/form/text.ts'
import { boundedProperties, firstWithin, withCustomData } from '#provider/vendors/boundedProperties.ts'

const productOf = ({ id, title, category, variantId, brand, item_price, quantity, url, image }: EventItem) => ({
  'Product Id': id,
  'Product Name': truncate(title, 1_000),
  Category: category,
  Variant: variantId,
  Brand: brand,
  Price: item_price,
  Quantity: quantity,
  URL: url,
  Image: image,
})

/** Names that begin with `we_` are reserved, and ignored. */
export const reserved = /^we_/i

/** The attributes of an event: each type at most 25 times. */
export function eventData(context: RequestContext): object {
  const { event, data, items, coupon, value } = context
  const fields = {
    'Order Id': data.orderId,
    Total: value,
    Currency: data.currency,
    Tax: data.tax,
    Shipping: data.shipping,
    Discount: data.discount,
    Coupon: coupon,
    'Search Term': data.search,
    Products: mapItems(firstWithin(items, 50_000), productOf),
    'Page URL': event.pageUrl,
    'Page Title': event.pageTitle,
    Referrer: event.referrer,
  }
  return boundedProperties(withCustomData(fields, context), {
    maxKeyLength: 50,
    maxTextLength: 1_000,
    maxCountOfType: 25,
    reserved,
  })
}
