import type { OrderPayload, StoredOrder } from '#store/orders.ts'
import { parseJson, withoutNulls } from './rowMappings.ts'
import type { SqlRow } from './sql.ts'

const numberOrNull = (value: unknown) => (value === null ? null : Number(value))

/** Orders with the text of their outcome. */
export const selectOrders = `
  SELECT shop_order.*, (SELECT order_outcome.outcome FROM order_outcome WHERE order_outcome.no = shop_order.outcome) AS outcome_text
  FROM shop_order`

export const readOrderRow = (row: SqlRow): StoredOrder =>
  withoutNulls<StoredOrder>({
    tagId: row.tag,
    id: row.id,
    orderId: row.order_id,
    aliases: parseJson(row.aliases),
    placedAt: Number(row.placed_at),
    updatedAt: Number(row.updated_at),
    status: row.status,
    salesChannel: row.sales_channel,
    currency: row.currency,
    value: numberOrNull(row.value),
    tax: numberOrNull(row.tax),
    shipping: numberOrNull(row.shipping),
    discount: numberOrNull(row.discount),
    refunded: numberOrNull(row.refunded),
    source: row.source,
    isSettled: Number(row.settled) === 1,
    outcome: row.outcome_text,
    touched: Number(row.touched),
  })

export const readPayloadRow = (row: SqlRow): Omit<OrderPayload, 'people'> => ({
  tagId: String(row.tag),
  id: String(row.id),
  at: Number(row.at),
  sealed: row.sealed as Uint8Array,
})
