import type { EventData } from '#contract/event.ts'
import { eventDataFields } from '#contract/standardEvents.ts'
import { wellKnownEventOf } from '#contract/wellKnownEvents.ts'
import { appIdNames } from '#provider/form/appIds.ts'
import { personFields } from '#provider/form/person.ts'
import type { RequestContext } from '#provider/form/request.ts'

/** The value of these is the price of what is looked at, or money that is paid back, and no revenue. */
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

/** The value and its currency, where the event earned it: vendors of attribution add up the revenue of all events. */
export function revenueOf({ event, data, value }: Pick<RequestContext, 'event' | 'data' | 'value'>) {
  const eventName = wellKnownEventOf(event.eventName) ?? event.eventName
  const isRevenue = value !== undefined && data.currency !== undefined && !withoutRevenue.has(eventName)
  return isRevenue ? { revenue: value, currency: data.currency } : {}
}

/** The name of a custom event; undefined for a refund, which vendors of attribution would count as one more sale. */
export const unlessRefund = (eventName: string): string | undefined => (eventName === 'Refund' ? undefined : eventName)

/** The members of `data` with a meaning of their own, and those that identify the person or a device. */
const knownData: ReadonlySet<string> = new Set<string>([...eventDataFields, ...personFields, ...appIdNames])

const mostProperties = 20
const isFlat = (value: unknown): value is string | number | boolean =>
  typeof value === 'number' ||
  typeof value === 'boolean' ||
  // an e-mail address in a text would keep the event from being sent
  (typeof value === 'string' && value !== '' && value.length <= 200 && !value.includes('@'))

/** The customer's own members of `data` that are short texts, numbers or booleans: at most 20, without `used`. */
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
