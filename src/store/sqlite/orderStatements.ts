import type { WriteUnit } from '#kit/writeBatch.ts'
import { type PurchaseEvent, purchaseRows } from '#store/sql/orderRows.ts'
import { createOrderStatements } from '#store/sql/orderStatements.ts'
import { sqliteDialect } from './dialect.ts'

/** The order with the order id of the event, otherwise the one with its event id. */
const ownerOf = `coalesce(
    (SELECT ord FROM shop_order_name WHERE tag = ?3 AND hash = ?4),
    (SELECT ord FROM shop_order_name WHERE tag = ?3 AND hash = ?5))`
const insertPurchase = `
  INSERT INTO purchase (position, idx, tag, hash, event_hash, ord, received_at, browser, value, net, currency, bucket)
  SELECT ?1, ?2, ?3, ?4, ?5, ${ownerOf}, ?6, ?7, ?8, ?9, ?10, bucket
  FROM event WHERE tag = (SELECT no FROM ref WHERE id = ?3) AND position = ?1 AND idx = ?2
  ON CONFLICT DO NOTHING`
const touchByPurchase = `
  UPDATE shop_order SET settled = 0, touched = touched + 1
  WHERE tag = ?1 AND id = (SELECT ord FROM purchase WHERE position = ?2 AND idx = ?3)`

/**
 * Stores the order data of Purchase events that have a row, and marks their orders as unsettled. Row by row, as a fold
 * gives them.
 */
export function addPurchases(events: readonly PurchaseEvent[]): WriteUnit {
  const rows = purchaseRows(events)
  if (rows.length === 0) return []
  return [
    { sql: insertPurchase, rows },
    { sql: touchByPurchase, rows: rows.map(([position, index, tagId]) => [tagId!, position!, index!]) },
  ]
}

export const { touch: touchOrders } = createOrderStatements(sqliteDialect)
