import { withoutFloatError } from '#contract/eventValue.ts'
import { segmentEventOf } from '#contract/productEvents.ts'
import type { AdapterHost } from './adapter.ts'

/** The fields of Segment's specification, which Zaraz also uses. */
export const commerceFields = {
  fields: 'order_id=orderId query=search products=contents',
  items: 'product_id=id name=title price=item_price variant=variantId image_url=image',
  person:
    'email=email phone=phone firstName=firstName lastName=lastName birthday=dateOfBirth city=city state=state postalCode=zip zip=zip country=country gender=gender user_id=customerId',
}

type Fields = Record<string, unknown>

const numberOf = (amount: unknown) => Number(amount) || 0

/** Sends an event of Segment's e-commerce specification; any other event keeps its name. */
export function sendCommerceEvent(host: AdapterHost, name: unknown, properties: unknown, eventId?: unknown): void {
  const fields = host.copy(Object(properties)) as Fields | undefined
  if (typeof name !== 'string' || !fields) return
  const eventName = segmentEventOf(name) ?? name
  host.event(
    eventName,
    /^(ViewContent|AddToCart|RemoveFromCart)$/.test(eventName) && !fields.products
      ? ofProduct(host, fields)
      : ofOrder(fields),
    eventId,
  )
}

/** For an event whose properties describe one product. */
function ofProduct(host: AdapterHost, { currency, value, ...product }: Fields): Fields {
  const item = host.renamedItem(product)
  const { item_price, quantity } = item
  return {
    currency,
    value: value ?? (item_price && withoutFloatError(numberOf(item_price) * numberOf(quantity ?? 1))),
    contents: [item],
  }
}

/** The value is gross: `total`, else `revenue` with tax and shipping, else `value`. */
function ofOrder({ total, revenue, ...fields }: Fields): Fields {
  const gross =
    revenue && withoutFloatError([revenue, fields.tax, fields.shipping].map(numberOf).reduce((sum, part) => sum + part))
  return { ...fields, value: total ?? gross ?? fields.value }
}
