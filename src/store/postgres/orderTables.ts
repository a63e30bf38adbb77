import type { Sql } from '#postgres/database.ts'
import { type PurchaseEvent, purchaseRows } from '#store/sql/orderRows.ts'
import { createOrderStatements } from '#store/sql/orderStatements.ts'
import { arrayRows } from './columns.ts'
import { postgresDialect } from './dialect.ts'
import { runStatements } from './statements.ts'

const statements = createOrderStatements(postgresDialect)

const selectMissed = `
  SELECT purchase.hash, purchase.event_hash FROM purchase
  WHERE purchase.tag = $1 AND purchase.ord IS NULL AND EXISTS (
    SELECT 1 FROM shop_order_name AS name WHERE name.tag = $1 AND name.hash IN (purchase.hash, purchase.event_hash))
  LIMIT 500`

/**
 * A purchase and an order that were written concurrently did not see each other. The orders of such purchases become
 * unsettled.
 */
export async function takeMissed(sql: Sql, tagId: string): Promise<void> {
  const rows = await sql<{ hash: string; event_hash: string | null }>(selectMissed, [tagId])
  if (rows.length === 0) return
  const hashes = rows.flatMap(({ hash, event_hash }) => [hash, ...(event_hash === null ? [] : [event_hash])])
  await runStatements(sql, statements.take(tagId, hashes))
}

const purchases = arrayRows('each', {
  ...({ position: 'int8', idx: 'int4', tag: 'text', hash: 'text', event_hash: 'text', received_at: 'int8' } as const),
  ...({ browser: 'int4', value: 'float8', net: 'float8', currency: 'text' } as const),
})
const ownerOf = (column: string) =>
  `(SELECT ord FROM shop_order_name AS name WHERE name.tag = each.tag AND name.hash = each.${column})`
const insertPurchases = `
  INSERT INTO purchase (${purchases.names}, ord) SELECT each.*, coalesce(${ownerOf('hash')}, ${ownerOf('event_hash')})
  FROM ${purchases.from} ORDER BY position, idx ON CONFLICT DO NOTHING`

/** Stores the order data of Purchase events, and marks their orders as unsettled. */
export async function addPurchases(sql: Sql, events: readonly PurchaseEvent[]): Promise<void> {
  const rows = purchaseRows(events)
  if (rows.length === 0) return
  await sql(insertPurchases, purchases.params(rows))
  await touchOrders(
    sql,
    events.filter(({ purchase }) => purchase),
  )
}

/** Marks orders as unsettled if their deliveries at these places will change again. */
export const touchOrders = (sql: Sql, places: Parameters<typeof statements.touch>[0]): Promise<void> =>
  runStatements(sql, statements.touch(places))
