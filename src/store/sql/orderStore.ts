import type { Statement } from '#kit/writeBatch.ts'
import type { OrderChange, OrderStore, WrittenOrder } from '#store/orders.ts'
import { readOrderRow, readPayloadRow } from './orderRows.ts'
import { orNull } from './rowMappings.ts'
import { type Dialect, type SqlReads, toStatement } from './sql.ts'

export const createOrderStore = (reads: SqlReads, { elements }: Dialect): OrderStore => ({
  async owners(tagId, hashes) {
    const select = `SELECT hash, ord FROM shop_order_name WHERE tag = ? AND hash IN (${elements('?')})`
    const rows = await reads.all(select, tagId, JSON.stringify(hashes))
    return new Map(rows.map(({ hash, ord }) => [String(hash), String(ord)]))
  },
  async find(tagId, ids) {
    const select = `SELECT * FROM shop_order WHERE tag = ? AND id IN (${elements('?')})`
    return (await reads.all(select, tagId, JSON.stringify(ids))).map(readOrderRow)
  },
  async payloads(tagId, ids) {
    const select = `SELECT * FROM order_payload WHERE tag = ? AND id IN (${elements('?')})`
    const people = `SELECT id, person FROM order_payload_person WHERE tag = ? AND id IN (${elements('?')}) ORDER BY person`
    const rows = await reads.all(select, tagId, JSON.stringify(ids))
    const named = Map.groupBy(await reads.all(people, tagId, JSON.stringify(ids)), ({ id }) => String(id))
    return rows.map((row) => ({
      ...readPayloadRow(row),
      people: (named.get(String(row.id)) ?? []).map(({ person }) => String(person)),
    }))
  },
  async unsettledTags(after, placedBefore, limit) {
    const select = `
      SELECT DISTINCT tag FROM shop_order WHERE settled = 0 AND tag > ? AND placed_at < ? ORDER BY tag LIMIT ?`
    return (await reads.all(select, after, placedBefore, limit)).map(({ tag }) => String(tag))
  },
})

/** The values of `orderColumns`. */
export const orderValues = (each: WrittenOrder) => [
  ...[each.tagId, each.id, each.orderId, JSON.stringify(each.aliases), each.placedAt, each.updatedAt, each.status],
  ...[orNull(each.salesChannel), orNull(each.currency), orNull(each.value), orNull(each.tax), orNull(each.shipping)],
  ...[orNull(each.discount), orNull(each.refunded), orNull(each.source)],
]
export const orderColumns = [
  ...['tag', 'id', 'order_id', 'aliases', 'placed_at', 'updated_at', 'status'],
  ...['sales_channel', 'currency', 'value', 'tax', 'shipping', 'discount', 'refunded', 'source'],
]

/** The end of the statement that adds orders: an order that is stored already is replaced unless it is newer. */
export const replaceOlderOrder = `
  ON CONFLICT (tag, id) DO UPDATE SET ${orderColumns.map((name) => `${name} = excluded.${name}`).join(', ')},
    settled = 0, touched = shop_order.touched + 1
  WHERE shop_order.updated_at <= excluded.updated_at`

const payloadTables = ['order_payload', 'order_payload_person']

/** Deletes the payloads that name a person, with the fingerprints of all people in them. */
export const erasePayloads = ({ tagId, people }: Extract<OrderChange, { erase: 'orderPayloads' }>): Statement[] => {
  const named = 'SELECT id FROM order_payload_person AS named WHERE named.tag = ?1 AND named.person = ?2'
  const rows = people.map((person) => [tagId, person])
  return payloadTables.map((table) => ({ sql: `DELETE FROM ${table} WHERE tag = ?1 AND id IN (${named})`, rows }))
}

const deleteOldPeople = `
  DELETE FROM order_payload_person WHERE EXISTS (
    SELECT 1 FROM order_payload
    WHERE order_payload.tag = order_payload_person.tag AND order_payload.id = order_payload_person.id AND at < ?)`
const deleteOldNames = `
  DELETE FROM shop_order_name WHERE EXISTS (
    SELECT 1 FROM shop_order WHERE shop_order.tag = shop_order_name.tag AND shop_order.id = shop_order_name.ord AND placed_at < ?)`

export const deleteOldOrders = (change: Extract<OrderChange, { drop: 'orders' }>): Statement[] => [
  toStatement(deleteOldPeople, change.payloadsBefore),
  toStatement('DELETE FROM order_payload WHERE at < ?', change.payloadsBefore),
  toStatement(deleteOldNames, change.placedBefore),
  toStatement('DELETE FROM shop_order WHERE placed_at < ?', change.placedBefore),
]

/** Deletes the orders of a tag. */
export const deleteOrders = (tagId: string): Statement[] =>
  ['shop_order', 'shop_order_name', ...payloadTables].map((table) =>
    toStatement(`DELETE FROM ${table} WHERE tag = ?`, tagId),
  )
