import type { TagEvent } from '#contract/event.ts'
import type { ValueMode } from '#contract/script.ts'

/** A finite number, or text that is nothing but one (`12.50`): the shops that send amounts as text mean it. Else undefined. */
export function amountOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  return typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined
}

/** 100 − 19.99 − 4.95 is 75.06, not 75.06000000000002: no currency has more than six decimals. */
export const withoutDust = (amount: number) => Math.round(amount * 1e6) / 1e6

/**
 * What an event is worth to a channel. Gross: `data.value` as it came. Net, for Purchase only: less tax and shipping, and less
 * the discount where the value was given before it; never below 0.
 */
export function eventValue(
  { eventName, data }: Pick<TagEvent, 'eventName' | 'data'>,
  mode: ValueMode,
): number | undefined {
  const value = amountOf(data?.value)
  if (value === undefined || mode === 'gross' || eventName !== 'Purchase') return value
  const less = (key: 'tax' | 'shipping' | 'discount') => amountOf(data?.[key]) ?? 0
  const discount = data?.valueBeforeDiscount === true ? less('discount') : 0
  return Math.max(0, withoutDust(value - less('tax') - less('shipping') - discount))
}

const decimals = new Map<string, number>()

/** How many decimals a currency has; 2 for what is none. */
export function decimalsOf(currency: string): number {
  const code = currency.trim().toUpperCase()
  const known = decimals.get(code)
  if (known !== undefined) return known
  if (!/^[A-Z]{3}$/.test(code)) return 2
  const format = new Intl.NumberFormat('en', { style: 'currency', currency: code })
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2
  decimals.set(code, digits)
  return digits
}

/** An amount in the smallest unit of its currency: 12.50 EUR → 1250, 1250 JPY → 1250. Without a currency: in hundredths. */
export const minorUnits = (amount: number, currency?: string): number =>
  Math.round(withoutDust(amount * 10 ** (currency ? decimalsOf(currency) : 2)))

/** Rounded to hundredths: 0.1 + 0.2 → 0.3. */
export const hundredths = (amount: number): number => Math.round(withoutDust(amount * 100)) / 100

/** An amount as text, with two decimals unless it is said: 12.5 → `12.50`. */
export function amountText(amount: number, decimals?: number): string
export function amountText(amount: number | undefined, decimals?: number): string | undefined
export function amountText(amount: number | undefined, decimals = 2): string | undefined {
  return amount?.toFixed(decimals)
}
