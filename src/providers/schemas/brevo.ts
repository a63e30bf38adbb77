import type { EventItem } from '#contract/event.ts'
import type { PartialFailure } from '#provider/form/batch.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import type { RequestContext, RequestSpec } from '#provider/form/request.ts'
import { isoTime } from '#provider/form/time.ts'
import {
  boundedProperties,
  firstWithin,
  snakeCaseItem,
  snakeCaseProperties,
} from '#provider/vendors/boundedProperties.ts'

/** The properties of an event: 50 kB at most. */
export function eventProperties(context: RequestContext): object {
  const limits = { maxKeyLength: 255, notInKey: /[^\w-]/g, maxBytes: 15_000 }
  const items = firstWithin(context.items.map(snakeCaseItem), 30_000)
  const properties = boundedProperties(snakeCaseProperties(context), limits)
  return items.length > 0 ? { ...properties, items } : properties
}

/** A product of an order. Its id and its price are required. Only `quantityFloat` takes fractions. */
const orderProduct = ({ id, variantId, item_price: price, quantity = 1 }: EventItem) =>
  id === undefined || price === undefined
    ? []
    : [
        {
          productId: id,
          variantId,
          price,
          ...(Number.isInteger(quantity) ? { quantity } : { quantityFloat: quantity }),
        },
      ]

/** `amount` includes shipping and tax. */
export function orderOf({ event, items, orderId, coupon, value }: RequestContext, identifiers: { email_id?: string }) {
  const at = `${isoTime(event.timestamp).slice(0, 19)}Z`
  return {
    id: orderId,
    createdAt: at,
    updatedAt: at,
    status: 'completed',
    amount: value,
    products: items.flatMap(orderProduct),
    // the older pages have `email` in place of `identifiers`
    email: identifiers.email_id,
    identifiers,
    coupons: coupon === undefined ? undefined : [coupon],
  }
}

type Identifiers = { email_id?: string; ext_id?: string; phone_id?: string }

/**
 * A contact with its attributes; undefined where no attribute is known. It has no `listIds`, so it is added to no list.
 */
export function contactOf({ email_id: email, ext_id, phone_id: SMS }: Identifiers, names: object | undefined) {
  const attributes = unlessEmpty({ ...names, SMS })
  return attributes && { email, ext_id, attributes, updateEnabled: true }
}

/** The response 207 to a batch: https://developers.brevo.com/reference/create-batch-events. */
type BatchEventsResponse = {
  total_events?: number
  failed_events?: number
  errors?: { eventIndex?: number[]; message?: string }[]
}

/** The events of a batch that were refused. An event that was taken would be counted twice if it were sent again. */
export function failedEvents({ total_events, failed_events, errors = [] }: BatchEventsResponse): PartialFailure[] {
  const rows = errors.flatMap(({ eventIndex = [], message }) => eventIndex.map((row) => ({ row, message })))
  const all = failed_events === total_events ? Array.from({ length: total_events ?? 0 }, (_, row) => ({ row })) : []
  return (rows.length > 0 ? rows : all).map((each) => ({ ...each, verdict: 'refused' }))
}

/** Creates or updates a contact on a list: https://developers.brevo.com/reference/create-contact */
export const listedContact = (
  email: string | undefined,
  list: string,
  request: RequestSpec,
): RequestSpec | undefined =>
  email === undefined ? undefined : { ...request, json: { email, listIds: [Number(list)], updateEnabled: true } }
