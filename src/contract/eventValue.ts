import type { TagEvent } from './event.ts'
import type { ValueMode } from './script.ts'

/** A finite number, or the number in a decimal text (`12.50`): some shops send amounts as text. Otherwise undefined. */
export function amountOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  return typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined
}

/** Rounds to six decimals: 100 − 19.99 − 4.95 is 75.06, not 75.06000000000002. No currency has more decimals. */
export const withoutFloatError = (amount: number) => Math.round(amount * 1e6) / 1e6

/** The names of purchases. Events that the plugin `newReturningCustomer` adds have the net value of their source event. */
const purchases: ReadonlySet<string> = new Set(['Purchase', 'Purchase_NC', 'Purchase_RC'])

/**
 * The value of an event for a channel. Gross: `data.value` unchanged. Net, only for a purchase: minus tax and shipping,
 * and minus the discount if the value is before discount; at least 0.
 */
export function eventValue(
  { eventName, data }: Pick<TagEvent, 'eventName' | 'data'>,
  mode: ValueMode,
): number | undefined {
  const value = amountOf(data?.value)
  if (value === undefined || mode === 'gross' || !purchases.has(eventName)) return value
  const deduction = (key: 'tax' | 'shipping' | 'discount') => amountOf(data?.[key]) ?? 0
  const discount = data?.valueBeforeDiscount === true ? deduction('discount') : 0
  return Math.max(0, withoutFloatError(value - deduction('tax') - deduction('shipping') - discount))
}
