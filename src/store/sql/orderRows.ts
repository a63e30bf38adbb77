import type { OrderPayload, OrderRecord, PurchaseFacts, StoredOrder } from '#store/orders.ts'
import type { PlannedEvent } from '#store/plannedEvent.ts'
import { json, mapRow, same } from './rowMappings.ts'
import type { SqlRow } from './sql.ts'

const order = mapRow<OrderRecord>({
  tagId: 'tag',
  ...same('id', 'orderId'),
  aliases: json('aliases'),
  ...same('placedAt', 'updatedAt', 'status', 'salesChannel', 'currency'),
  ...same('value', 'tax', 'shipping', 'discount', 'refunded', 'source'),
})

/** The values of `orderTypes`. */
export const orderValues = (each: OrderRecord) => Object.values(order.columns(each))
export const orderTypes = {
  ...({ tag: 'text', id: 'text', order_id: 'text', aliases: 'text', placed_at: 'int8', updated_at: 'int8' } as const),
  ...({ status: 'text', sales_channel: 'text', currency: 'text', value: 'float8', tax: 'float8' } as const),
  ...({ shipping: 'float8', discount: 'float8', refunded: 'float8', source: 'text' } as const),
}

/** Orders with the text of their outcome. */
export const selectOrders = `
  SELECT shop_order.*, (SELECT order_outcome.outcome FROM order_outcome WHERE order_outcome.no = shop_order.outcome) AS outcome_text
  FROM shop_order`

export const readOrderRow = (row: SqlRow): StoredOrder => ({
  ...order.read(row),
  isSettled: row.settled === 1,
  ...(row.outcome_text !== null && { outcome: String(row.outcome_text) }),
  touched: Number(row.touched),
})

export const readPayloadRow = (row: SqlRow): Omit<OrderPayload, 'people'> => ({
  tagId: String(row.tag),
  id: String(row.id),
  at: Number(row.at),
  sealed: row.sealed as Uint8Array,
})

export type PurchaseEvent = Pick<PlannedEvent, 'tagId' | 'position' | 'index' | 'receivedAt'> & {
  purchase?: PurchaseFacts
}

export const purchaseRows = (events: readonly PurchaseEvent[]) =>
  events.flatMap(({ tagId, position, index, receivedAt, purchase }) => {
    if (!purchase) return []
    const { hash, eventHash = null, isFromBrowser, value = null, net = null, currency = null } = purchase
    const order = [position, index, tagId, hash, eventHash, receivedAt]
    return [[...order, isFromBrowser ? 1 : 0, value, net, currency]]
  })
