import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { preparedStatements } from '#kit/sqlite.ts'
import type { PageRequest, ResultPage } from '#store/cursor.ts'
import { deliveryIdOf } from '#store/deliveryId.ts'
import { type PageSelect, selectPage, toPage } from '#store/sql/page.ts'
import type { SqlRow } from '#store/sql/sql.ts'

export type { SqlRow }

/** Reads on a read-only connection. Each read sees everything that was committed before it. */
export type SqlReader = ReturnType<typeof createSqlReader>

/** Adds the SQL function `delivery_id` to a connection. */
export const addDeliveryId = (db: DatabaseSync): void =>
  db.function('delivery_id', { deterministic: true }, (receivedAt, position, index, scriptId) =>
    deliveryIdOf({
      receivedAt: Number(receivedAt),
      position: Number(position),
      index: Number(index),
      scriptId: String(scriptId),
    }),
  )

export function createSqlReader(db: DatabaseSync) {
  addDeliveryId(db)
  const prepared = preparedStatements(db)
  return {
    one: (sql: string, ...params: SQLInputValue[]) => prepared(sql).get(...params),
    all: (sql: string, ...params: SQLInputValue[]) => prepared(sql).all(...params),
  }
}

/** Reads the page before a cursor, newest first. */
export const readPage = <Out>(
  reads: SqlReader,
  select: PageSelect,
  page: PageRequest,
  read: (row: SqlRow) => Out,
): ResultPage<Out> => toPage(reads.all(...selectPage(select, page)), select, page, read)
