import type { EventData } from '#contract/event.ts'
import { remainingData } from '#provider/form/eventData.ts'
import type { RequestContext } from '#provider/form/request.ts'

/** The value of these is the price of what is looked at, or money that is paid back, and no revenue. */
const withoutRevenue = new Set([
  'PageView',
  'ViewContent',
  'AddToCart',
  'RemoveFromCart',
  'InitiateCheckout',
  'AddShippingInfo',
  'AddPaymentInfo',
  'Search',
  'Refund',
])

/** The value and its currency, where the event earned it: vendors of attribution add up the revenue of all events. */
export function revenueOf({ event, data, value }: Pick<RequestContext, 'event' | 'data' | 'value'>) {
  const isRevenue = value !== undefined && data.currency !== undefined && !withoutRevenue.has(event.eventName)
  return isRevenue ? { revenue: value, currency: data.currency } : {}
}

/** The name of a custom event; undefined for a refund, which vendors of attribution would count as one more sale. */
export const unlessRefund = (eventName: string): string | undefined => (eventName === 'Refund' ? undefined : eventName)

const standardData = [
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
] as const satisfies readonly (keyof EventData)[]

/** The customer's own members of `data` that are short texts, numbers or booleans: at most 20, without `used`. */
export const flatProperties = (
  data: EventData,
  used: readonly string[] = [],
): Record<string, string | number | boolean> =>
  Object.fromEntries(
    Object.entries(remainingData(data, ...standardData))
      .filter(
        (entry): entry is [string, string | number | boolean] =>
          !used.includes(entry[0]) &&
          (typeof entry[1] === 'number' ||
            typeof entry[1] === 'boolean' ||
            (typeof entry[1] === 'string' && entry[1] !== '' && entry[1].length <= 200)),
      )
      .slice(0, 20),
  )
