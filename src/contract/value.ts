import type { TagEvent } from './event.ts'
import type { ValueMode } from './script.ts'

/** A finite number, or text that is nothing but one (`12.50`): the shops that send amounts as text mean it. Else undefined. */
export function amountOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  return typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined
}

/** 100 − 19.99 − 4.95 is 75.06, not 75.06000000000002: no currency has more than six decimals. */
export const withoutDust = (amount: number) => Math.round(amount * 1e6) / 1e6

/** Under all its names: to a net channel the events that `newReturningCustomer` adds are worth what their source is. */
const purchases: ReadonlySet<string> = new Set(['Purchase', 'Purchase_NC', 'Purchase_RC'])

/**
 * What an event is worth to a channel. Gross: `data.value` as it came. Net, for a purchase only: less tax and shipping, and less
 * the discount where the value was given before it; never below 0.
 */
export function eventValue(
  { eventName, data }: Pick<TagEvent, 'eventName' | 'data'>,
  mode: ValueMode,
): number | undefined {
  const value = amountOf(data?.value)
  if (value === undefined || mode === 'gross' || !purchases.has(eventName)) return value
  const less = (key: 'tax' | 'shipping' | 'discount') => amountOf(data?.[key]) ?? 0
  const discount = data?.valueBeforeDiscount === true ? less('discount') : 0
  return Math.max(0, withoutDust(value - less('tax') - less('shipping') - discount))
}
