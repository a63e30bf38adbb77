import type { EventData, TagEvent } from '#contract/event.ts'
import { eventValue } from '#contract/eventValue.ts'
import type { ValueMode } from '#contract/script.ts'

/** Universal Ads' names of the standard events. */
const conversionNames: Readonly<Record<string, string>> = {
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

type ConversionEvent = Pick<TagEvent, 'eventName' | 'data' | 'userEmail'>

/** The name and fields of an event for Universal Ads' pixel; undefined for an event without a name there. */
export function toConversion(event: ConversionEvent, mode: ValueMode, user_id: string) {
  const { eventName, data = {}, userEmail: user_name = data.userEmail } = event
  const name = Object.hasOwn(conversionNames, eventName) ? conversionNames[eventName] : undefined
  if (name === undefined) return undefined
  const fields = conversionFields(data, eventValue(event, mode))
  return [name, { ...fields, user_id, ...(typeof user_name === 'string' && { user_name }) }] as const
}

function conversionFields({ currency, orderId, contents = [] }: EventData, price: number | undefined) {
  const [item] = contents
  return {
    ...(price !== undefined && { price }),
    ...(currency && { currency }),
    ...(orderId && { order_id: orderId }),
    ...(item?.id && { content_id: item.id }),
    ...(item && { item_quantity: contents.reduce((sum, { quantity = 1 }) => sum + quantity, 0) }),
  }
}
