import type { EventData, EventItem } from '#contract/event.ts'
import { remainingData } from '#provider/form/eventData.ts'
import { itemsWithId, totalQuantity } from '#provider/form/items.ts'
import { roundedToHundredths } from '#provider/form/money.ts'
import type { CapturedValues, RequestContext } from '#provider/form/request.ts'
import { truncate } from '#provider/form/text.ts'

export const iglu = (path: string, version = '1-0-0') =>
  `iglu:com.snowplowanalytics.snowplow${path}/jsonschema/${version}`
const shop = (name: string, data: object, version?: string) => ({ schema: iglu(`.ecommerce/${name}`, version), data })
const packed = (schema: string, data: unknown) => Buffer.from(JSON.stringify({ schema, data })).toString('base64url')

const count = (value: number) => Math.min(Math.max(0, Math.round(value)), 9_999_999)
const amount = (value = 0) => Math.min(Math.max(0, roundedToHundredths(value)), 9_999_999)
const anAmount = (value: number | undefined) => (value === undefined ? undefined : amount(value))

/**
 * An invalid entity makes the collector reject the event. The schema requires a category: an unknown one is `unknown`.
 */
const product = (currency: string) => (item: EventItem) =>
  shop('product', {
    id: item.id,
    name: item.title,
    category: item.category ?? 'unknown',
    price: amount(item.item_price),
    quantity: item.quantity === undefined ? undefined : count(item.quantity),
    variant: truncate(item.variantId, 256),
    brand: truncate(item.brand, 256),
    currency,
  })

const steps: Readonly<Record<string, number>> = { InitiateCheckout: 1, AddShippingInfo: 2, AddPaymentInfo: 3 }

/** The entity of an e-commerce event besides its products: a transaction, a refund or a checkout step. */
function subject(name: string, { event, data, items, orderId, coupon, value }: RequestContext) {
  const { currency } = data
  if (name === 'checkout_step') return [shop('checkout_step', { step: steps[event.eventName] })]
  const order = { transaction_id: orderId, currency }
  if (name === 'refund') return [shop('refund', { ...order, refund_amount: amount(value) })]
  if (name !== 'transaction') return []
  const transaction = {
    transaction_id: orderId,
    revenue: amount(value),
    currency,
    payment_method: 'unknown',
    total_quantity: count(totalQuantity(items) ?? 0),
    tax: anAmount(data.tax),
    shipping: anAmount(data.shipping),
    discount_code: truncate(coupon, 99),
  }
  return [shop('transaction', transaction)]
}

function entities(name: string, context: RequestContext): object[] {
  const { currency } = context.data
  if (currency?.length !== 3) return name === 'checkout_step' ? subject(name, context) : []
  return [...subject(name, context), ...itemsWithId(context.items).map(product(currency))]
}

/** An e-commerce event with its entities. */
export function shopEvent(name: string, context: RequestContext) {
  const action = shop('snowplow_ecommerce_action', { type: name }, '1-0-2')
  const contexts = entities(name, context)
  const cx = contexts.length > 0 ? packed(iglu('/contexts'), contexts) : undefined
  return { e: 'ue', ue_px: packed(iglu('/unstruct_event'), action), cx }
}

/** A self-describing event with the customer's own schema. */
export function ownEvent(schema: string, { event: { eventName, data } }: RequestContext) {
  const fields: EventData = { eventName, ...remainingData(data) }
  return { e: 'ue', ue_px: packed(iglu('/unstruct_event'), { schema, data: fields }) }
}

/** The ids in the cookie `_sp_id.<hash>`; else in the cross-domain parameter `_sp`, which holds the first of them. */
export function visitor(captured: CapturedValues) {
  const name = Object.keys(captured).find((key) => /^_sp_id(\.|$)/.test(key)) ?? '_sp'
  const parts = captured[name]?.value.split('.') ?? []
  return { duid: parts[0] || undefined, sid: parts[5], tnuid: captured.sp?.value }
}
