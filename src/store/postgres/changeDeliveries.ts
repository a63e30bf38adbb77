import type { Sql, SqlValue } from '#postgres/database.ts'
import { addDeliveryCounts, readCountedDeliveries } from './journalCounts.ts'

/** The counts to add for the rows that a statement changed. Pending without a reason waits for its first attempt. */
export const countChanged = `
  SELECT tag, at / 60000 AS minute, script, name, status, coalesce(reason, '') AS reason, count(*) AS count, max(at) AS at
  FROM changed WHERE is_new_state AND (status <> 'pending' OR reason IS NOT NULL)
  GROUP BY 1, 2, 3, 4, 5, 6`

/**
 * Changes the deliveries whose places `select` finds. They are locked in the order of their places. The columns of
 * `select` are available to `set` and `where` as `found`.
 */
export function changeDeliveries(select: string, set: string, where = 'true') {
  const text = `
  WITH found AS MATERIALIZED (
    ${select} ORDER BY delivery.position, delivery.idx, delivery.script FOR UPDATE OF delivery
  ), changed AS (
    UPDATE delivery SET ${set} FROM found
    WHERE delivery.position = found.position AND delivery.idx = found.idx AND delivery.script = found.script AND ${where}
    RETURNING delivery.tag, delivery.at, delivery.script, delivery.name, delivery.status, delivery.reason,
      true AS is_new_state
  )
  ${countChanged}`
  return async (sql: Sql, params: SqlValue[]): Promise<void> =>
    addDeliveryCounts(sql, (await sql(text, params)).map(readCountedDeliveries))
}
