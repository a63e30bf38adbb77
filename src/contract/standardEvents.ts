/** The documented fields of `data`: those of the schema `EventData` (event.ts). */
export const eventDataFields = [
  'value',
  'currency',
  'contents',
  'orderId',
  'search',
  'tax',
  'shipping',
  'discount',
  'valueBeforeDiscount',
  'discounts',
  'checkoutUrl',
] as const
type EventDataField = (typeof eventDataFields)[number]

/** The standard events, and the required fields of `data` for each. */
export const standardEvents = {
  PageView: [],
  ViewContent: [],
  AddToCart: ['currency', 'value'],
  RemoveFromCart: ['currency', 'value'],
  InitiateCheckout: ['currency', 'value'],
  AddShippingInfo: ['currency', 'value'],
  AddPaymentInfo: ['currency', 'value'],
  Purchase: ['currency', 'value', 'orderId'],
  Subscribe: [],
  Search: [],
  Lead: ['currency', 'value'],
} as const satisfies Record<string, readonly EventDataField[]>
export type StandardEvent = keyof typeof standardEvents
export const isStandardEvent = (name: string): name is StandardEvent => Object.hasOwn(standardEvents, name)
