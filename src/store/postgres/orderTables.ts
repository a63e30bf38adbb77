import type { Sql } from '#postgres/database.ts'
import type { OrderChange } from '#store/orders.ts'
import { orderColumns, orderValues, type PurchaseEvent, purchaseRows } from '#store/sql/orderRows.ts'
import { replaceOlderOrder } from '#store/sql/orderStore.ts'
import { columnsOf } from './columns.ts'

type Put = Extract<OrderChange, { put: 'orders' }>
type Settle = Extract<OrderChange, { settle: 'orders' }>

// Orders are locked in the order of their ids, so that concurrent transactions wait instead of deadlocking.
const types = ['text', 'text', 'text', 'text', 'bigint', 'bigint', 'text', 'text', 'text']
const numbers = ['float8', 'float8', 'float8', 'float8', 'float8']
const insertOrders = `
  INSERT INTO shop_order (${orderColumns.join(', ')})
  SELECT * FROM unnest(${[...types, ...numbers, 'text'].map((type, n) => `$${n + 1}::${type}[]`).join(', ')})
    AS each (${orderColumns.join(', ')}) ORDER BY tag COLLATE "C", id COLLATE "C"
  ${replaceOlderOrder}`
const insertNames = `
  INSERT INTO shop_order_name (tag, hash, ord)
  SELECT $1, hash, ord FROM unnest($2::text[], $3::text[]) AS each (hash, ord) ORDER BY hash COLLATE "C"
  ON CONFLICT DO NOTHING`

/** Locks orders and marks them as unsettled. `ids`: a query of their tags and ids. */
const touchAll = (ids: string) => `
  WITH changed AS MATERIALIZED (
    SELECT no FROM shop_order WHERE (tag, id) IN (${ids}) ORDER BY tag, id FOR UPDATE
  )
  UPDATE shop_order SET settled = 0, touched = touched + 1 FROM changed WHERE shop_order.no = changed.no`
const touchLosers = touchAll(`
  SELECT purchase.tag, purchase.ord FROM purchase JOIN shop_order_name AS name ON name.tag = purchase.tag AND name.hash = purchase.hash
  WHERE purchase.tag = $1 AND purchase.hash = ANY($2::text[]) AND purchase.ord IS NOT NULL AND purchase.ord <> name.ord`)
const takePurchases = (column: 'hash' | 'event_hash', condition: string) => `
  WITH taken AS MATERIALIZED (
    SELECT purchase.position, purchase.idx, name.ord FROM purchase
      JOIN shop_order_name AS name ON name.tag = purchase.tag AND name.hash = purchase.${column}
    WHERE purchase.tag = $1 AND purchase.${column} = ANY($2::text[]) AND ${condition}
    ORDER BY purchase.position, purchase.idx FOR UPDATE OF purchase
  )
  UPDATE purchase SET ord = taken.ord FROM taken WHERE purchase.position = taken.position AND purchase.idx = taken.idx`
const takeByOrderId = takePurchases('hash', 'purchase.ord IS DISTINCT FROM name.ord')
const takeByEventId = takePurchases('event_hash', 'purchase.ord IS NULL')

export async function putOrders(sql: Sql, { tagId, rows }: Put): Promise<void> {
  if (rows.length === 0) return
  await sql(insertOrders, columnsOf(rows.map(orderValues), orderColumns.length))
  const names = rows.flatMap(({ hashes, id }) => hashes.map((hash) => [hash, id]))
  const [hashes = [], ords = []] = columnsOf(names, 2)
  await sql(insertNames, [tagId, hashes, ords])
  for (const text of [touchLosers, takeByOrderId, takeByEventId]) await sql(text, [tagId, hashes])
}

/**
 * A purchase and an order that were written concurrently did not see each other. The orders of such purchases become
 * unsettled.
 */
const missed = `purchase.tag = $1 AND purchase.ord IS NULL`
const selectMissed = `
  SELECT purchase.hash, purchase.event_hash FROM purchase WHERE ${missed} AND EXISTS (
    SELECT 1 FROM shop_order_name AS name WHERE name.tag = $1 AND name.hash IN (purchase.hash, purchase.event_hash))
  LIMIT 500`
const touchNamed = touchAll(`SELECT tag, ord FROM shop_order_name WHERE tag = $1 AND hash = ANY($2::text[])`)

async function takeMissed(sql: Sql, tagId: string): Promise<void> {
  const rows = await sql<{ hash: string; event_hash: string | null }>(selectMissed, [tagId])
  if (rows.length === 0) return
  const hashes = rows.flatMap(({ hash, event_hash }) => [hash, ...(event_hash === null ? [] : [event_hash])])
  for (const text of [touchNamed, takeByOrderId, takeByEventId]) await sql(text, [tagId, hashes])
}

const insertOutcomes = `
  INSERT INTO order_outcome (tag, outcome)
  SELECT DISTINCT $1, outcome COLLATE "C" FROM unnest($2::text[]) AS each (outcome) ORDER BY 2 ON CONFLICT DO NOTHING`
const settleRows = `
  WITH settled AS MATERIALIZED (
    SELECT shop_order.no, order_outcome.no AS outcome
    FROM unnest($2::text[], $3::int[], $4::text[]) AS each (id, touched, outcome)
      JOIN order_outcome ON order_outcome.tag = $1 AND order_outcome.outcome = each.outcome
      JOIN shop_order ON shop_order.tag = $1 AND shop_order.id = each.id AND shop_order.touched = each.touched
    ORDER BY shop_order.tag, shop_order.id FOR UPDATE OF shop_order
  )
  UPDATE shop_order SET settled = 1, outcome = settled.outcome FROM settled WHERE shop_order.no = settled.no`
export async function settleOrders(sql: Sql, { tagId, rows }: Settle): Promise<void> {
  await takeMissed(sql, tagId)
  const values = rows.map(({ id, touched, outcome }) => [id, touched, outcome])
  if (values.length === 0) return
  await sql(insertOutcomes, [tagId, rows.map(({ outcome }) => outcome)])
  await sql(settleRows, [tagId, ...columnsOf(values, 3)])
}

const ownerOf = (column: string) =>
  `(SELECT ord FROM shop_order_name AS name WHERE name.tag = each.tag AND name.hash = each.${column})`
const insertPurchases = `
  INSERT INTO purchase (position, idx, tag, hash, event_hash, received_at, browser, value, net, currency, ord)
  SELECT each.*, coalesce(${ownerOf('hash')}, ${ownerOf('event_hash')})
  FROM unnest($1::bigint[], $2::int[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::int[], $8::float8[], $9::float8[],
    $10::text[]) AS each (position, idx, tag, hash, event_hash, received_at, browser, value, net, currency)
  ORDER BY position, idx ON CONFLICT DO NOTHING`
const touchPlaces = touchAll(`
  SELECT tag, ord FROM purchase JOIN unnest($1::bigint[], $2::int[]) AS each (position, idx) USING (position, idx)
  WHERE ord IS NOT NULL`)

/** Stores the order data of Purchase events, and marks their orders as unsettled. */
export async function addPurchases(sql: Sql, events: readonly PurchaseEvent[]): Promise<void> {
  const rows = purchaseRows(events)
  if (rows.length === 0) return
  await sql(insertPurchases, columnsOf(rows, 10))
  await sql(touchPlaces, columnsOf(rows, 2))
}

/** Marks orders as unsettled if their deliveries at these places will change again. */
export async function touchOrders(sql: Sql, places: readonly { position: number; index: number }[]): Promise<void> {
  const rows = places.map(({ position, index }) => [position, index])
  await sql(touchPlaces, columnsOf(rows, 2))
}
