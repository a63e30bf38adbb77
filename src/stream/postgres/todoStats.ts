import type { Database } from '#postgres/database.ts'
import { dayOfPosition } from './positions.ts'
import { bodyTable, isTableMissing } from './streamTables.ts'

/** The maximum count of records, because counting reads each record. */
const countedRecords = 100_000

/** The number of unsettled records (at most 100,000), and when the oldest was appended (epoch ms). */
type TodoStats = { records: number; oldestAt?: number }

/** `position`: the lowest position in any slot, from one index look-up for each of the 256 slots. */
const selectTodo = `
  SELECT (SELECT count(*)::int FROM (SELECT 1 FROM todo WHERE slot >= 0 LIMIT ${countedRecords}) AS t) AS records,
    (SELECT min(t.position) FROM slot CROSS JOIN LATERAL (
      SELECT position FROM todo WHERE todo.slot = slot.no ORDER BY xid, position LIMIT 1) AS t) AS position`

export async function readTodoStats({ sql }: Pick<Database, 'sql'>): Promise<TodoStats> {
  const [row] = await sql<{ records: number; position: number | null }>(selectTodo)
  const { records, position } = row!
  if (position === null) return { records }
  const select = `SELECT appended_ms AS at FROM ${bodyTable(dayOfPosition(position))} WHERE position = $1`
  const [body] = await sql<{ at: number }>(select, [position]).catch((error) => {
    if (isTableMissing(error)) return []
    throw error
  })
  return body ? { records, oldestAt: body.at } : { records }
}
