import type { Database } from '#postgres/database.ts'
import { dayOfPosition } from './positions.ts'
import { bodyTable, isTableMissing } from './streamTables.ts'

/** More records are not counted, because counting reads each of them. */
const countedRecords = 100_000

/** The records that are not settled: how many (at most 100,000), and when the oldest was appended (epoch ms). */
type TodoStats = { records: number; oldestAt?: number }

const countRecords = `SELECT count(*)::int AS records FROM (SELECT 1 FROM todo WHERE slot >= 0 LIMIT ${countedRecords}) AS t`
/** The first record of each slot: a look-up in the index for each of 256. */
const oldestPosition = `
  SELECT min(t.position) AS position FROM slot CROSS JOIN LATERAL (
    SELECT position FROM todo WHERE todo.slot = slot.no ORDER BY xid, position LIMIT 1) AS t`

export async function readTodoStats({ sql }: Pick<Database, 'sql'>): Promise<TodoStats> {
  const [counted] = await sql<{ records: number }>(countRecords)
  const [oldest] = await sql<{ position: number | null }>(oldestPosition)
  const records = counted!.records
  const position = oldest!.position
  if (position === null) return { records }
  const select = `SELECT appended_ms AS at FROM ${bodyTable(dayOfPosition(position))} WHERE position = $1`
  const [body] = await sql<{ at: number }>(select, [position]).catch((error) => {
    if (isTableMissing(error)) return []
    throw error
  })
  return body ? { records, oldestAt: body.at } : { records }
}
