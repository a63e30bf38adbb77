import fc from 'fast-check'
import { reasons, statuses } from '#contract/deliveryStatus.ts'
import { orderStatuses } from '#contract/order.ts'
import type { OrderWithPurchases } from '#store/orders.ts'

export const scripts = ['scr_1', 'scr_2', 'scr_3'].map((scriptId, n) => ({
  scriptId,
  name: `Channel ${n}`,
  providerId: 'eventSink' as const,
  purchaseValueMode: n === 1 ? ('net' as const) : ('gross' as const),
  secrets: {},
}))
/** The day before clocks go back in Europe. */
export const start = Date.UTC(2026, 9, 24, 12)
const hour = 3_600_000

const amount = fc.constantFrom(0, 9.99, 84.9, 84.905, 1_000)
const currency = fc.constantFrom('EUR', 'SEK')

/** Deliveries after retries, replays and erasures, with the status, reason and number of attempts that these leave. */
const delivery = fc.record({
  scriptId: fc.constantFrom('scr_1', 'scr_2', 'scr_3', 'scr_deleted'),
  status: fc.constantFrom(...statuses),
  attempts: fc.integer({ min: 0, max: 4 }),
  reason: fc.constantFrom(...reasons),
})
const purchase = fc
  .record({
    isFromBrowser: fc.boolean(),
    value: amount,
    net: amount,
    currency,
    deliveries: fc.uniqueArray(delivery, { maxLength: 4, selector: ({ scriptId }) => scriptId }),
  })
  .map((each) => ({ ...each, index: 0, receivedAt: start }))

/** An order with the tag's purchase events: before the order, after it, or none. */
export const history: fc.Arbitrary<OrderWithPurchases[]> = fc
  .array(
    fc.record({
      status: fc.constantFrom(...orderStatuses),
      salesChannel: fc.constantFrom('web', 'pos', 'draft', 'app'),
      placedAt: fc.integer({ min: start - 40 * hour, max: start + 40 * hour }),
      value: amount,
      tax: fc.constantFrom(0, 5),
      shipping: fc.constantFrom(0, 4.9),
      currency,
      isSettled: fc.boolean(),
      purchases: fc.array(purchase, { maxLength: 3 }),
    }),
    { maxLength: 12 },
  )
  .map((orders) =>
    orders.map((order, n) => ({
      ...{ tagId: 'tag_1', id: `${n}`, orderId: `#${n}`, aliases: [], updatedAt: order.placedAt, touched: 0 },
      ...order,
      purchases: order.purchases.map((each, place) => ({ ...each, position: n * 10 + place })),
    })),
  )
