import { minorUnits } from '#provider/form/money.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { truncate } from '#provider/form/text.ts'
import { flatProperties } from '#provider/vendors/eventProperties.ts'

/** Newer pages say 20. */
const maxKeys = 10
const maxText = 255

/** A key that ends in `_date` is a time in epoch seconds. */
const isOfForm = ([name, value]: [string, unknown]) => !name.endsWith('_date') || Number.isSafeInteger(value)

/** Flat: the only objects are prices, in the smallest unit of their currency. The most important keys first. */
export function metadataOf(context: RequestContext): object | undefined {
  const { order_id: order_number, value, currency, ...more } = flatProperties(context)
  const isPrice = typeof value === 'number' && typeof currency === 'string'
  const price = isPrice ? { amount: minorUnits(value, currency), currency: currency.toLowerCase() } : undefined
  const fields = Object.entries({ order_number, price, ...(!isPrice && { value, currency }), ...more })
  const given = fields.filter((field) => field[1] !== undefined && isOfForm(field)).slice(0, maxKeys)
  return unlessEmpty(Object.fromEntries(given.map(([name, field]) => [name, truncate(field, maxText)])))
}
