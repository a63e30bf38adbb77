import { withoutFloatError } from '#contract/eventValue.ts'

export { amountOf, eventValue, withoutFloatError } from '#contract/eventValue.ts'

const decimals = new Map<string, number>()

/** The number of decimals of a currency (ISO 4217); 2 for an invalid code. */
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

/**
 * An amount in the minor unit of its currency: 12.50 EUR → 1250, 1250 JPY → 1250. Without a currency: in hundredths.
 */
export const minorUnits = (amount: number, currency?: string): number =>
  Math.round(withoutFloatError(amount * 10 ** (currency ? decimalsOf(currency) : 2)))

/** Rounded to hundredths: 0.1 + 0.2 → 0.3. */
export const roundedToHundredths = (amount: number): number => Math.round(withoutFloatError(amount * 100)) / 100

/** The amount unless it is negative: some vendors reject a whole event for one negative price. */
export const unlessNegative = (amount: number | undefined): number | undefined =>
  amount !== undefined && amount < 0 ? undefined : amount

/** An amount as text, by default with two decimals: 12.5 → `12.50`. */
export function amountText(amount: number, decimals?: number): string
export function amountText(amount: number | undefined, decimals?: number): string | undefined
export function amountText(amount: number | undefined, decimals = 2): string | undefined {
  return amount?.toFixed(decimals)
}

/** An amount as text with the decimals of its currency: 12.5 EUR → `12.50`, 1250 JPY → `1250`, 1.5 KWD → `1.500`. */
export const currencyAmountText = (amount: number | undefined, currency = ''): string | undefined =>
  amountText(amount, decimalsOf(currency))
