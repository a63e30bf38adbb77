import type { EventData, TagEvent } from '#contract/event.ts'

/** Standard events by Universal Ads' names; others have none. */
const names: Readonly<Record<string, string>> = {
  PageView: 'page_view',
  ViewContent: 'product_view',
  AddToCart: 'add_to_cart',
  InitiateCheckout: 'checkout_start',
  AddShippingInfo: 'add_address_info',
  AddPaymentInfo: 'add_payment_info',
  Purchase: 'purchase',
  Subscribe: 'subscribe',
  Search: 'search',
  Lead: 'sign_up',
}

/** An event as Universal Ads' pixel takes it: its name and what is known; undefined where the pixel has no name for it. */
export function conversionOf({ eventName, data = {} }: Pick<TagEvent, 'eventName' | 'data'>) {
  const name = Object.hasOwn(names, eventName) ? names[eventName] : undefined
  return name === undefined ? undefined : ([name, fieldsOf(data)] as const)
}

function fieldsOf({ value, currency, orderId, contents = [] }: EventData) {
  const [item] = contents
  return {
    ...(value !== undefined && { price: value }),
    ...(currency && { currency }),
    ...(orderId && { order_id: orderId }),
    ...(item?.id && { content_id: item.id }),
    ...(item && { item_quantity: contents.reduce((sum, { quantity = 1 }) => sum + quantity, 0) }),
  }
}
