import { minorUnits } from '#provider/form/money.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import type { RequestContext } from '#provider/form/request.ts'
import type { RequestSteps, StepSpec } from '#provider/form/steps.ts'
import { truncate } from '#provider/form/text.ts'
import { flatProperties } from '#provider/vendors/eventProperties.ts'

export const eventNames = {
  ViewContent: 'viewed-product',
  AddToCart: 'added-to-cart',
  RemoveFromCart: 'removed-from-cart',
  InitiateCheckout: 'started-checkout',
  AddShippingInfo: 'added-shipping-info',
  AddPaymentInfo: 'added-payment-info',
  Purchase: 'placed-order',
  Subscribe: 'subscribed',
  Search: 'searched',
  Lead: 'submitted-lead',
}

/** Newer pages say 20. */
const maxKeys = 10
const maxText = 255

/**
 * https://www.intercom.com/help/en/articles/175-set-up-event-tracking-in-intercom: the characters that a key must not
 * have.
 */
const notInKey = /[.$~`!@#%^&*'{}|\\"\0]/g

/** A key that ends in `_date` is a time in epoch seconds. */
const isOfForm = ([name, value]: [string, unknown]) =>
  name.trim() !== '' && (!name.endsWith('_date') || Number.isSafeInteger(value))

/** Flat: the only objects are prices, in the smallest unit of their currency. The most important keys first. */
export function metadataOf(context: RequestContext): object | undefined {
  const { order_id: order_number, value, currency, ...more } = flatProperties(context)
  const isPrice = typeof value === 'number' && typeof currency === 'string'
  const price = isPrice ? { amount: minorUnits(value, currency), currency: currency.toLowerCase() } : undefined
  const fields = Object.entries({ order_number, price, ...(!isPrice && { value, currency }), ...more })
  const given = fields.filter((field) => field[1] !== undefined && isOfForm(field)).slice(0, maxKeys)
  return unlessEmpty(
    Object.fromEntries(given.map(([name, field]) => [name.replace(notInKey, '_'), truncate(field, maxText)])),
  )
}

/** What Intercom keeps of a person by itself; undefined where nothing of it is known. */
export function traitsOf({ phone, firstName, lastName }: { phone?: string; firstName?: string; lastName?: string }) {
  const name = [firstName, lastName].filter(Boolean).join(' ') || undefined
  return unlessEmpty({ name, phone })
}

/** Finds a contact, then updates it. A person whom Intercom does not know has no profile to update. */
export const updateSteps = (find: StepSpec, update: (id: string) => StepSpec): RequestSteps => ({
  next({ length, 0: id }) {
    if (length === 0) return find
    if (!id) return { skipped: 'identityMissing' }
    return length === 1 ? update(encodeURIComponent(id)) : undefined
  },
})
