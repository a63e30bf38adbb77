import type { EventData } from '#contract/event.ts'
import { eventDataFields } from '#contract/standardEvents.ts'
import { wellKnownEventOf } from '#contract/wellKnownEvents.ts'
import { appIdNames } from '#provider/form/appIds.ts'
import { personFields } from '#provider/form/person.ts'
import type { RequestContext } from '#provider/form/request.ts'

/** The value of these events is the price of a viewed product or a refund, not revenue. */
const withoutRevenue = new Set<string>([
  'PageView',
  'ViewContent',
  'AddToCart',
  'RemoveFromCart',
  'InitiateCheckout',
  'AddShippingInfo',
  'AddPaymentInfo',
  'Search',
  'Refund',
  'AddToWishlist',
  'AchieveLevel',
  'CompleteTutorial',
  'CustomizeProduct',
  'Download',
  'FindLocation',
  'Invite',
  'Login',
  'Rate',
  'SelectItem',
  'SelectPromotion',
  'Share',
  'SpendCredits',
  'UnlockAchievement',
  'ViewCart',
  'ViewItemList',
  'ViewPromotion',
])

/** The value and its currency if the event earned revenue: attribution vendors add up the revenue of all events. */
export function revenueOf({ event, data, value }: Pick<RequestContext, 'event' | 'data' | 'value'>) {
  const eventName = wellKnownEventOf(event.eventName) ?? event.eventName
  const isRevenue = value !== undefined && data.currency !== undefined && !withoutRevenue.has(eventName)
  return isRevenue ? { revenue: value, currency: data.currency } : {}
}

/** The name of a custom event. Undefined for a refund, which attribution vendors would count as another sale. */
export const unlessRefund = (eventName: string): string | undefined => (eventName === 'Refund' ? undefined : eventName)

/** The members of `data` that have their own meaning or identify the person or a device. */
const knownData: ReadonlySet<string> = new Set<string>([...eventDataFields, ...personFields, ...appIdNames])

const mostProperties = 20
const isFlat = (value: unknown): value is string | number | boolean =>
  typeof value === 'number' ||
  typeof value === 'boolean' ||
  // An e-mail address in a text would prevent the event from being sent.
  (typeof value === 'string' && value !== '' && value.length <= 200 && !value.includes('@'))

/**
 * The customer's own members of `data` that are short texts, numbers or booleans. At most 20, without the members in
 * `used`.
 */
export function flatProperties(
  data: EventData,
  used: readonly string[] = [],
): Record<string, string | number | boolean> {
  const properties: [string, string | number | boolean][] = []
  for (const name of Object.keys(data)) {
    const value = data[name]
    const isOwn = !knownData.has(name) && !used.includes(name) && isFlat(value)
    if (isOwn && properties.length < mostProperties) properties.push([name, value])
  }
  return Object.fromEntries(properties)
}
