import type { RequestContext } from '#provider/form/request.ts'
import { optional, text } from '#provider/form/variables.ts'

/** Whether leads are sent in addition to orders: a network pays for leads only if the programme says so. */
export const leadEvent = text('Lead event', 'Write Lead to send leads as well.', {
  ...optional,
  check: (value: string) => (value === 'Lead' ? undefined : 'Write Lead, or leave it empty.'),
})

/** The time from a click in which a sale earns commission: 30 days, as in most affiliate programmes. */
export const clickWindowMs = 30 * 86_400_000

/**
 * The network's word for a new or a returning customer, from `data.isNewCustomer`, which the shop sets. Undefined if it
 * is not set.
 */
export function customerStatus(
  { isNewCustomer }: RequestContext['data'],
  { isNew, isReturning }: { isNew: string; isReturning: string },
): string | undefined {
  if (typeof isNewCustomer !== 'boolean') return undefined
  return isNewCustomer ? isNew : isReturning
}

/** A captured click. `at`: epoch ms. */
export type Click = { value: string; at: number }

/**
 * The last click of a network: the newest value among its parameters and cookies. At equal times, the first name wins.
 * A value that equals the order id is ignored: thank-you pages use parameters of the same names for the order id.
 */
export function lastClick(
  { captured, data }: Pick<RequestContext, 'captured' | 'data'>,
  names: readonly string[],
): Click | undefined {
  const clicks = names.flatMap((name) => captured[name] ?? []).filter(({ value }) => value && value !== data.orderId)
  return clicks.reduce<Click | undefined>((last, each) => (last && last.at >= each.at ? last : each), undefined)
}

/**
 * Two parameters of the same click. Undefined if they were captured at different times: one of them belongs to another
 * visit.
 */
export function clickPair(
  { captured }: Pick<RequestContext, 'captured'>,
  first: string,
  second: string,
): { first: string; second: string; at: number } | undefined {
  const [one, other] = [captured[first], captured[second]]
  return one && other && one.at === other.at ? { first: one.value, second: other.value, at: one.at } : undefined
}
