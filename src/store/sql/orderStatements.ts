import type { WriteUnit } from '#kit/writeBatch.ts'
import type { OrderChange } from '#store/orders.ts'
import type { Dialect } from './dialect.ts'
import { orderTypes, orderValues } from './orderRows.ts'
import { toStatement } from './sql.ts'

type Put = Extract<OrderChange, { put: 'orders' }>
type Settle = Extract<OrderChange, { settle: 'orders' }>
type EventPlace = { position: number; index: number }

/** Replaces a stored order unless it is newer. */
const replaceOlder = `
  ON CONFLICT (tag, id) DO UPDATE SET ${Object.keys(orderTypes)
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')}, settled = 0, touched = shop_order.touched + 1
  WHERE shop_order.updated_at <= excluded.updated_at`

const inOrder = (one: string, other: string) => (one < other ? -1 : 1)

function orderTexts({ isIn, tuples, forUpdate, purchasesBy }: Dialect) {
  /** Locks orders and marks them as unsettled. `ids`: a query of their tags and ids. */
  const touchAll = (ids: string) => `
    WITH changed AS MATERIALIZED (
      SELECT no FROM shop_order WHERE (tag, id) IN (${ids}) ORDER BY tag, id ${forUpdate('shop_order')}
    )
    UPDATE shop_order SET settled = 0, touched = touched + 1 FROM changed WHERE shop_order.no = changed.no`
  const touchNamed = touchAll(`SELECT tag, ord FROM shop_order_name WHERE tag = ?1 AND ${isIn('hash', '?2')}`)
  /** An order that had the purchase by its event id loses it to the order with its order id. */
  const touchPreviousOrders = touchAll(`
    SELECT purchase.tag, purchase.ord FROM ${purchasesBy('hash')}
      JOIN shop_order_name AS name ON name.tag = purchase.tag AND name.hash = purchase.hash
    WHERE purchase.tag = ?1 AND ${isIn('purchase.hash', '?2')} AND purchase.ord IS NOT NULL AND purchase.ord <> name.ord`)
  const touchPlaces = touchAll(`
    SELECT tag, ord FROM ${tuples('?1', 'each', { position: 'bigint', idx: 'int' })}
      JOIN purchase ON purchase.position = each.position AND purchase.idx = each.idx
    WHERE ord IS NOT NULL`)
  // The plus signs keep SQLite from a search of `taken` for each row of `purchase`.
  const takePurchases = (column: 'hash' | 'event_hash', condition: string) => `
    WITH taken AS MATERIALIZED (
      SELECT purchase.position, purchase.idx, name.ord FROM ${purchasesBy(column)}
        JOIN shop_order_name AS name ON name.tag = purchase.tag AND name.hash = purchase.${column}
      WHERE purchase.tag = ?1 AND ${isIn(`purchase.${column}`, '?2')} AND ${condition}
      ORDER BY purchase.position, purchase.idx ${forUpdate('purchase')}
    )
    UPDATE purchase SET ord = taken.ord FROM taken WHERE purchase.position = +taken.position AND purchase.idx = +taken.idx`
  const takeByOrderId = takePurchases('hash', 'purchase.ord IS DISTINCT FROM name.ord')
  const takeByEventId = takePurchases('event_hash', 'purchase.ord IS NULL')
  const settleRows = `
    WITH done AS MATERIALIZED (
      SELECT shop_order.no, order_outcome.no AS outcome
      FROM ${tuples('?2', 'each', { id: 'text', touched: 'int', outcome: 'text' })}
        JOIN order_outcome ON order_outcome.tag = ?1 AND order_outcome.outcome = each.outcome
        JOIN shop_order ON shop_order.tag = ?1 AND shop_order.id = each.id AND shop_order.touched = each.touched
      ORDER BY shop_order.tag, shop_order.id ${forUpdate('shop_order')}
    )
    UPDATE shop_order SET settled = 1, outcome = done.outcome FROM done WHERE shop_order.no = done.no`
  return { touchNamed, touchPreviousOrders, touchPlaces, takeByOrderId, takeByEventId, settleRows }
}

/** Writes orders. Rows are locked in order, so that concurrent writes wait instead of deadlocking. */
export function createOrderStatements(dialect: Dialect) {
  const { insert } = dialect
  const insertOrders = insert('shop_order', orderTypes, replaceOlder)
  const insertNames = insert('shop_order_name', { tag: 'text', hash: 'text', ord: 'text' }, 'ON CONFLICT DO NOTHING')
  const insertOutcomes = insert('order_outcome', { tag: 'text', outcome: 'text' }, 'ON CONFLICT DO NOTHING')
  const { touchNamed, touchPreviousOrders, touchPlaces, takeByOrderId, takeByEventId, settleRows } = orderTexts(dialect)
  const ofHashes = (tagId: string, hashes: readonly string[], ...texts: readonly string[]): WriteUnit =>
    texts.map((sql) => toStatement(sql, tagId, JSON.stringify(hashes)))

  return {
    put({ tagId, rows }: Put): WriteUnit {
      if (rows.length === 0) return []
      const orders = rows.toSorted((one, other) => inOrder(one.id, other.id))
      const names = rows.flatMap(({ hashes, id }) => hashes.map((hash) => [tagId, hash, id] as const))
      const hashes = names.map(([, hash]) => hash)
      return [
        insertOrders(orders.map(orderValues)),
        insertNames(names.toSorted(([, one], [, other]) => inOrder(one, other))),
        ...ofHashes(tagId, hashes, touchPreviousOrders, takeByOrderId, takeByEventId),
      ]
    },
    /** Gives purchases to the orders with these fingerprints, and marks the orders as unsettled. */
    take: (tagId: string, hashes: readonly string[]) =>
      ofHashes(tagId, hashes, touchNamed, takeByOrderId, takeByEventId),
    settle({ tagId, rows }: Settle): WriteUnit {
      const outcomes = [...new Set(rows.map(({ outcome }) => outcome))].sort(inOrder)
      const settled = rows.map(({ id, touched, outcome }) => [id, touched, outcome])
      return [
        insertOutcomes(outcomes.map((outcome) => [tagId, outcome])),
        toStatement(settleRows, tagId, JSON.stringify(settled)),
      ]
    },
    /** Marks orders as unsettled if their deliveries at these places will change again. */
    touch: (places: readonly EventPlace[]): WriteUnit => [
      toStatement(touchPlaces, JSON.stringify(places.map(({ position, index }) => [position, index]))),
    ],
  }
}
