import type { RequestContext } from '#provider/form/request.ts'
import { eventProperties } from '#provider/vendors/eventProperties.ts'

export const eventNames = {
  PageView: 'page_viewed',
  ViewContent: 'product_viewed',
  AddToCart: 'product_added',
  RemoveFromCart: 'product_removed',
  InitiateCheckout: 'checkout_started',
  AddShippingInfo: 'shipping_info_added',
  AddPaymentInfo: 'payment_info_entered',
  Purchase: 'order_completed',
  Refund: 'order_refunded',
  Subscribe: 'subscribed',
  Search: 'products_searched',
  Lead: 'lead',
}

/** An item of a batch may have 32 kB; its name, ids and identifiers take their part. */
const maxBytes = 28_000

export const attributesOf = (context: RequestContext) => eventProperties(context, maxBytes)

const reserved = new Set(['recipient', 'from_address', 'reply_to', 'unsubscribed', 'cio_subscription_preferences'])

/**
 * Customer.io sends the campaign of an event to `recipient`, and from `from_address`; the last two are names of a
 * profile's subscriptions. These keys get the prefix `event_`.
 */
export const withoutReserved = (attributes: object) =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      reserved.has(name.toLowerCase()) ? `event_${name}` : name,
      value,
    ]),
  )

type BatchResponse = { errors?: readonly { batch_index?: number; message?: string }[] }

/** A 207 lists the refused items by their place in the batch. */
export const failedRows = ({ errors = [] }: BatchResponse) =>
  errors.flatMap(({ batch_index: row, message }) => (row === undefined ? [] : [{ row, message }]))
