import type { RequestContext } from '#provider/form/request.ts'
import { optional, text } from '#provider/form/variables.ts'

/** Whether leads are sent besides orders: a network pays for them only where the programme says so. */
export const leadEvent = text('Lead event', 'Write Lead to send leads as well.', {
  ...optional,
  check: (value: string) => (value === 'Lead' ? undefined : 'Write Lead, or leave it empty.'),
})

/** How long a click earns a sale: 30 days, the usual window of affiliate programmes. */
export const clickWindowMs = 30 * 86_400_000

/**
 * The network's word for a new or a returning customer, by `data.isNewCustomer`, which the shop sets; undefined where it
 * does not say.
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
 * The last click of a network: the newest value of the parameters and cookies that are its own. Of values of the same
 * time the first name wins. A value that equals the order id is none: pages that thank for an order have it in
 * parameters of the same names.
 */
export function lastClick(
  { captured, data }: Pick<RequestContext, 'captured' | 'data'>,
  names: readonly string[],
): Click | undefined {
  const clicks = names.flatMap((name) => captured[name] ?? []).filter(({ value }) => value && value !== data.orderId)
  return clicks.reduce<Click | undefined>((last, each) => (last && last.at >= each.at ? last : each), undefined)
}

/**
 * Two parameters of one click. Undefined where they were captured at different times: one of them is of another visit.
 */
export function clickPair(
  { captured }: Pick<RequestContext, 'captured'>,
  first: string,
  second: string,
): { first: string; second: string; at: number } | undefined {
  const [one, other] = [captured[first], captured[second]]
  return one && other && one.at === other.at ? { first: one.value, second: other.value, at: one.at } : undefined
}
