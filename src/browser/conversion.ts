import type { EventData, TagEvent } from '#contract/event.ts'
import type { ValueMode } from '#contract/script.ts'
import { eventValue } from '#contract/value.ts'

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

type Event = Pick<TagEvent, 'eventName' | 'data' | 'userEmail'>

/** An event as Universal Ads' pixel takes it: its name and what is known; undefined where the pixel has no name for it. */
export function conversionOf(event: Event, mode: ValueMode, user_id: string) {
  const { eventName, data = {}, userEmail: user_name = data.userEmail } = event
  const name = Object.hasOwn(names, eventName) ? names[eventName] : undefined
  if (name === undefined) return undefined
  const known = fieldsOf(data, eventValue(event, mode))
  return [name, { ...known, user_id, ...(typeof user_name === 'string' && { user_name }) }] as const
}

function fieldsOf({ currency, orderId, contents = [] }: EventData, price: number | undefined) {
  const [item] = contents
  return {
    ...(price !== undefined && { price }),
    ...(currency && { currency }),
    ...(orderId && { order_id: orderId }),
    ...(item?.id && { content_id: item.id }),
    ...(item && { item_quantity: contents.reduce((sum, { quantity = 1 }) => sum + quantity, 0) }),
  }
}
