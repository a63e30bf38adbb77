import type { WriteUnit } from '#kit/writeBatch.ts'
import type { OrderChange } from '#store/orders.ts'
import { orderColumns, orderValues, type PurchaseEvent, purchaseRows } from '#store/sql/orderRows.ts'
import { replaceOlderOrder } from '#store/sql/orderStore.ts'

type Put = Extract<OrderChange, { put: 'orders' }>
type Settle = Extract<OrderChange, { settle: 'orders' }>

const insertOrder = `
  INSERT INTO shop_order (${orderColumns.join(', ')}) VALUES (${orderColumns.map(() => '?').join(', ')})
  ${replaceOlderOrder}`
const insertName = 'INSERT INTO shop_order_name (tag, hash, ord) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
const touch = 'UPDATE shop_order SET settled = 0, touched = touched + 1'
const ownName = '(SELECT ord FROM shop_order_name WHERE tag = ?1 AND hash = ?2)'
/** An order that had the purchase by its event id loses it to the order with its order id. */
const touchLoser = `
  ${touch} WHERE tag = ?1 AND id IN (SELECT ord FROM purchase WHERE tag = ?1 AND hash = ?2 AND ord IS NOT NULL)
    AND id <> ${ownName}`
const takeByOrderId = `UPDATE purchase SET ord = ${ownName} WHERE tag = ?1 AND hash = ?2`
const takeByEventId = `UPDATE purchase SET ord = ${ownName} WHERE tag = ?1 AND event_hash = ?2 AND ord IS NULL`

export function putOrders({ rows }: Put): WriteUnit {
  const names = rows.flatMap(({ tagId, hashes, id }) => hashes.map((hash) => [tagId, hash, id]))
  const hashes = names.map(([tagId, hash]) => [tagId!, hash!])
  return [
    { sql: insertOrder, rows: rows.map(orderValues) },
    { sql: insertName, rows: names },
    { sql: touchLoser, rows: hashes },
    { sql: takeByOrderId, rows: hashes },
    { sql: takeByEventId, rows: hashes },
  ]
}

const insertOutcome = 'INSERT INTO order_outcome (tag, outcome) VALUES (?, ?) ON CONFLICT DO NOTHING'
const settleOrder = `
  UPDATE shop_order SET settled = 1, outcome = (SELECT no FROM order_outcome WHERE tag = ?1 AND outcome = ?2)
  WHERE tag = ?1 AND id = ?3 AND touched = ?4`
export const settleOrders = ({ tagId, rows }: Settle): WriteUnit => [
  { sql: insertOutcome, rows: [...new Set(rows.map(({ outcome }) => outcome))].map((outcome) => [tagId, outcome]) },
  { sql: settleOrder, rows: rows.map(({ id, touched, outcome }) => [tagId, outcome, id, touched]) },
]

/** The order with the order id of the event, otherwise the one with its event id. */
const ownerOf = `coalesce(
    (SELECT ord FROM shop_order_name WHERE tag = ?3 AND hash = ?4),
    (SELECT ord FROM shop_order_name WHERE tag = ?3 AND hash = ?5))`
const insertPurchase = `
  INSERT INTO purchase (position, idx, tag, hash, event_hash, ord, received_at, browser, value, net, currency)
  VALUES (?1, ?2, ?3, ?4, ?5, ${ownerOf}, ?6, ?7, ?8, ?9, ?10) ON CONFLICT DO NOTHING`
const touchByPurchase = `
  ${touch} WHERE tag = ?1 AND id = (SELECT ord FROM purchase WHERE position = ?2 AND idx = ?3)`

/** Stores the order data of Purchase events, and marks their orders as unsettled. */
export function addPurchases(events: readonly PurchaseEvent[]): WriteUnit {
  const rows = purchaseRows(events)
  if (rows.length === 0) return []
  return [
    { sql: insertPurchase, rows },
    { sql: touchByPurchase, rows: rows.map(([position, index, tagId]) => [tagId!, position!, index!]) },
  ]
}

/** Marks orders as unsettled if their deliveries at these places will change again. */
export const touchOrders = (places: readonly { position: number; index: number }[]): WriteUnit => [
  {
    sql: `${touch} WHERE (tag, id) IN (SELECT tag, ord FROM purchase WHERE position = ? AND idx = ? AND ord IS NOT NULL)`,
    rows: places.map(({ position, index }) => [position, index]),
  },
]
