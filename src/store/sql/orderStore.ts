import type { Statement, WriteUnit } from '#kit/writeBatch.ts'
import type { OldOrders, OrderChange, OrderPayload, OrderStore } from '#store/orders.ts'
import { mergeRows } from './bulkRows.ts'
import type { Dialect } from './dialect.ts'
import { readOrderRow, readPayloadRow, selectOrders } from './orderRows.ts'
import { type SqlReads, toStatement } from './sql.ts'

const selectNextTag = `
  SELECT min(tag) AS tag FROM (
    SELECT min(tag) AS tag FROM shop_order WHERE tag > ?1 UNION ALL SELECT min(tag) FROM order_payload WHERE tag > ?1
  ) AS next`
const selectOlder = `
  SELECT 1 AS one FROM shop_order WHERE tag = ?1 AND placed_at < ?2 UNION ALL
  SELECT 1 FROM order_payload WHERE tag = ?1 AND at < ?3 LIMIT 1`

export function createOrderStore(reads: SqlReads, { elements }: Dialect): OrderStore {
  async function payloads(tagId: string, ids: readonly string[]): Promise<OrderPayload[]> {
    const select = `SELECT * FROM order_payload WHERE tag = ? AND id IN (${elements('?')})`
    const people = `SELECT id, person FROM order_payload_person WHERE tag = ? AND id IN (${elements('?')}) ORDER BY person`
    const rows = await reads.all(select, tagId, JSON.stringify(ids))
    const named = Map.groupBy(await reads.all(people, tagId, JSON.stringify(ids)), ({ id }) => String(id))
    return rows.map((row) => ({
      ...readPayloadRow(row),
      people: (named.get(String(row.id)) ?? []).map(({ person }) => String(person)),
    }))
  }
  return {
    async owners(tagId, hashes) {
      const select = `SELECT hash, ord FROM shop_order_name WHERE tag = ? AND hash IN (${elements('?')})`
      const rows = await reads.all(select, tagId, JSON.stringify(hashes))
      return new Map(rows.map(({ hash, ord }) => [String(hash), String(ord)]))
    },
    async find(tagId, ids) {
      const select = `${selectOrders} WHERE tag = ? AND id IN (${elements('?')})`
      return (await reads.all(select, tagId, JSON.stringify(ids))).map(readOrderRow)
    },
    payloads,
    async payloadsOf(tagId, people, limit) {
      const select = `
      SELECT DISTINCT id FROM order_payload_person WHERE tag = ? AND person IN (${elements('?')}) ORDER BY id LIMIT ?`
      const rows = await reads.all(select, tagId, JSON.stringify(people), limit)
      const ids = rows.map(({ id }) => String(id))
      return ids.length > 0 ? payloads(tagId, ids) : []
    },
    async nextTag(after) {
      const row = await reads.one(selectNextTag, after)
      return row?.tag == null ? undefined : String(row.tag)
    },
    hasOlder: async ({ tagId, placedBefore, payloadsBefore }) =>
      (await reads.one(selectOlder, tagId, placedBefore, payloadsBefore)) !== undefined,
  }
}

export function createPayloadStatements({
  insert,
  elements,
}: Dialect): (change: Extract<OrderChange, { add: 'orderPayloads' }>) => WriteUnit {
  const insertPayloads = insert(
    'order_payload',
    { tag: 'text', id: 'text', at: 'int8', sealed: 'bytea' },
    'ON CONFLICT (tag, id) DO UPDATE SET at = excluded.at, sealed = excluded.sealed',
  )
  const deletePeople = `DELETE FROM order_payload_person WHERE tag = ? AND id IN (${elements('?')})`
  const insertPeople = insert(
    'order_payload_person',
    { tag: 'text', person: 'text', id: 'text' },
    'ON CONFLICT DO NOTHING',
  )
  return ({ tagId, rows }) => {
    const payloads = rows.map(({ id, at, sealed }) => [tagId, id, at, sealed])
    return [
      insertPayloads(mergeRows(payloads, 2, (_, other) => other)),
      toStatement(deletePeople, tagId, JSON.stringify(rows.map(({ id }) => id))),
      insertPeople(rows.flatMap(({ id, people }) => people.map((person) => [tagId, person, id]))),
    ]
  }
}

const payloadTables = ['order_payload', 'order_payload_person']

/** Deletes the payloads that name a person, with the fingerprints of everyone in them. */
export const erasePayloads = ({ tagId, people }: Extract<OrderChange, { erase: 'orderPayloads' }>): Statement[] => {
  const named = 'SELECT id FROM order_payload_person AS named WHERE named.tag = ?1 AND named.person = ?2'
  const rows = people.map((person) => [tagId, person])
  return payloadTables.map((table) => ({ sql: `DELETE FROM ${table} WHERE tag = ?1 AND id IN (${named})`, rows }))
}

/** Rows per commit. */
const rowsPerSlice = 500
const oldestOrders = `SELECT id FROM shop_order WHERE tag = ?1 AND placed_at < ?2 ORDER BY placed_at LIMIT ${rowsPerSlice}`
const oldestPayloads = `SELECT id FROM order_payload WHERE tag = ?1 AND at < ?2 ORDER BY at LIMIT ${rowsPerSlice}`

/** Deletes dependent rows first. */
export const deleteOldOrders = ({ tagId, placedBefore, payloadsBefore }: OldOrders): Statement[] => [
  toStatement(`DELETE FROM order_payload_person WHERE tag = ?1 AND id IN (${oldestPayloads})`, tagId, payloadsBefore),
  toStatement(`DELETE FROM order_payload WHERE tag = ?1 AND id IN (${oldestPayloads})`, tagId, payloadsBefore),
  toStatement(`DELETE FROM shop_order_name WHERE tag = ?1 AND ord IN (${oldestOrders})`, tagId, placedBefore),
  toStatement(`DELETE FROM shop_order WHERE tag = ?1 AND id IN (${oldestOrders})`, tagId, placedBefore),
]

export const deleteOrders = (tagId: string): Statement[] =>
  ['shop_order', 'shop_order_name', 'order_outcome', ...payloadTables].map((table) =>
    toStatement(`DELETE FROM ${table} WHERE tag = ?`, tagId),
  )
