import type { PageRequest, ResultPage } from '#store/cursor.ts'
import type {
  OrderDelivery,
  OrderFilter,
  OrderGroup,
  OrderPurchase,
  OrderQueries,
  OrderRange,
  OrderWithPurchases,
  StoredOrder,
} from '#store/orders.ts'
import type { Dialect } from './dialect.ts'
import { readOrderRow, selectOrders } from './orderRows.ts'
import { selectPage, toPage } from './page.ts'
import type { Read, ReadsOf } from './read.ts'
import { withoutNulls } from './rowMappings.ts'
import type { SqlRow } from './sql.ts'

type OrderReads = ReadsOf<OrderQueries>

const inRange = 'tag = ? AND placed_at >= ? AND placed_at < ?'
const selectGroups = `
  SELECT counted.*, order_outcome.outcome AS outcome_text FROM (
    SELECT status, sales_channel, currency, outcome,
      count(*) AS count, coalesce(sum(value), 0) AS value,
      sum(CASE WHEN placed_at > ? THEN 1 ELSE 0 END) AS open_count,
      coalesce(sum(CASE WHEN placed_at > ? THEN value END), 0) AS open_value
    FROM shop_order WHERE ${inRange} AND settled = 1 GROUP BY status, sales_channel, currency, outcome
  ) AS counted JOIN order_outcome ON order_outcome.no = counted.outcome`
const selectUnknown = `
  SELECT count(DISTINCT hash) AS count FROM purchase
  WHERE tag = ? AND ord IS NULL AND received_at >= ? AND received_at < ?
    AND NOT EXISTS (SELECT 1 FROM shop_order_name WHERE shop_order_name.tag = purchase.tag AND shop_order_name.hash = purchase.hash)`

/** One group of orders that are not open, and one of those that are. */
function readGroups(row: SqlRow): OrderGroup[] {
  const [count, openCount] = [Number(row.count), Number(row.open_count)]
  const [value, openValue] = [Number(row.value), Number(row.open_value)]
  const group = (isOpen: boolean, own: { count: number; value: number }) =>
    withoutNulls<OrderGroup>({
      status: row.status,
      salesChannel: row.sales_channel,
      currency: row.currency,
      outcome: row.outcome_text,
      isOpen,
      ...own,
    })
  return [
    ...(count > openCount ? [group(false, { count: count - openCount, value: value - openValue })] : []),
    ...(openCount > 0 ? [group(true, { count: openCount, value: openValue })] : []),
  ]
}

const readPurchase = (row: SqlRow): OrderPurchase =>
  withoutNulls<OrderPurchase>({
    position: Number(row.position),
    index: Number(row.idx),
    receivedAt: Number(row.received_at),
    isFromBrowser: Number(row.browser) === 1,
    value: row.value === null ? null : Number(row.value),
    net: row.net === null ? null : Number(row.net),
    currency: row.currency,
    deliveries: [],
  })

const readDelivery = (row: SqlRow): OrderDelivery =>
  withoutNulls<OrderDelivery>({
    scriptId: row.script,
    status: row.status,
    reason: row.reason,
    attempts: Number(row.attempts),
  })

/** The orders with their purchases, oldest first, and the deliveries of the purchases. */
function* withPurchases(
  { elements, idOf }: Dialect,
  tagId: string,
  orders: readonly StoredOrder[],
): Read<OrderWithPurchases[]> {
  if (orders.length === 0) return []
  const ids = JSON.stringify(orders.map(({ id }) => id))
  const purchases = yield [
    `SELECT * FROM purchase WHERE tag = ? AND ord IN (${elements('?')}) ORDER BY position, idx`,
    tagId,
    ids,
  ]
  const deliveries = yield [
    `SELECT purchase.position, purchase.idx, ${idOf('delivery.script')} AS script, status, reason, attempts
    FROM purchase JOIN delivery ON delivery.position = purchase.position AND delivery.idx = purchase.idx
    WHERE purchase.tag = ? AND ord IN (${elements('?')})`,
    tagId,
    ids,
  ]
  const byPlace = Map.groupBy(deliveries, ({ position, idx }) => `${position} ${idx}`)
  const byOrder = Map.groupBy(purchases, ({ ord }) => String(ord))
  return orders.map((order) => ({
    ...order,
    purchases: (byOrder.get(order.id) ?? []).map((row) => ({
      ...readPurchase(row),
      deliveries: (byPlace.get(`${row.position} ${row.idx}`) ?? []).map(readDelivery),
    })),
  }))
}

function* readOrders(
  dialect: Dialect,
  tagId: string,
  { fromMs, toMs, outcomes, isUnsettled }: OrderFilter,
  page: PageRequest,
): Read<ResultPage<OrderWithPurchases>> {
  const patterns = outcomes?.map(() => 'order_outcome.outcome LIKE ?').join(' OR ')
  const sql = `${selectOrders} WHERE ${inRange}${isUnsettled ? ' AND settled = 0' : ''}${
    patterns ? ` AND (settled = 0 OR outcome IN (SELECT no FROM order_outcome WHERE tag = ? AND (${patterns})))` : ''
  }`
  const select = {
    sql,
    params: [tagId, fromMs, toMs, ...(outcomes ? [tagId, ...outcomes] : [])],
    columns: ['placed_at', 'no'],
  }
  const found = yield selectPage(select, page)
  const { rows, ...next } = toPage(found, select, page, readOrderRow)
  return { rows: yield* withPurchases(dialect, tagId, rows), ...next }
}

function* readById(dialect: Dialect, tagId: string, ids: readonly string[]): Read<OrderWithPurchases[]> {
  const rows = yield [
    `${selectOrders} WHERE tag = ? AND id IN (${dialect.elements('?')}) ORDER BY no`,
    tagId,
    JSON.stringify(ids),
  ]
  return yield* withPurchases(dialect, tagId, rows.map(readOrderRow))
}

function* countGroups(
  tagId: string,
  { fromMs, toMs, openAfter }: OrderRange & { openAfter: number },
): Read<OrderGroup[]> {
  return (yield [selectGroups, openAfter, openAfter, tagId, fromMs, toMs]).flatMap(readGroups)
}

function* countUnknown(tagId: string, { fromMs, toMs }: OrderRange): Read<number> {
  return Number((yield [selectUnknown, tagId, fromMs, toMs])[0]!.count)
}

export const createOrderReads = (dialect: Dialect): OrderReads => ({
  orderGroups: countGroups,
  orders: (tagId, filter, page) => readOrders(dialect, tagId, filter, page),
  ordersById: (tagId, ids) => readById(dialect, tagId, ids),
  unknownOrders: countUnknown,
})
