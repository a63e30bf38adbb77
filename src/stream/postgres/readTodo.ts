import { toBinaryFields } from '#postgres/binaryArrays.ts'
import type { Database } from '#postgres/database.ts'
import type { ReadResult, SlotCursor, TodoRow } from './slotCursors.ts'

/** The rows of one read. Each slot gets an equal share, so that a backlog in one slot does not hide the others. */
const rowsPerRead = 4_096
const leastRowsPerSlot = 64

// The first row is not a record: it has the transactions that the snapshot of this statement has seen.
const rowsAfter = `
  SELECT -1 AS slot, pg_snapshot_xmin(snapshot)::text::bigint AS xid, 0::bigint AS position, '' AS tag,
    0 AS events, 0 AS bytes, pg_snapshot_xmax(snapshot)::text::bigint AS xmax
  FROM pg_current_snapshot() AS snapshot
  UNION ALL
  SELECT t.slot, t.xid, t.position, t.tag, t.events, t.bytes, 0
  FROM unnest($1::int[], $2::bigint[], $3::bigint[]) AS c(slot, xid, position) CROSS JOIN LATERAL (
    SELECT slot, xid, position, tag, events, bytes FROM todo
    WHERE slot = c.slot AND (xid, position) > (c.xid, c.position) ORDER BY xid, position LIMIT $4
  ) t`

/** The visible records of each slot behind its cursor. */
export async function readTodo({ sql }: Pick<Database, 'sql'>, cursors: readonly SlotCursor[]): Promise<ReadResult> {
  const limit = Math.max(leastRowsPerSlot, Math.floor(rowsPerRead / Math.max(1, cursors.length)))
  const [seen, ...rows] = await sql<TodoRow & { xmax: number }>(rowsAfter, [
    ...toBinaryFields(cursors, { slot: 'int4', xid: 'int8', position: 'int8' }),
    limit,
  ])
  return { cursors, rows, xmin: seen!.xid, xmax: seen!.xmax, limit }
}

/** The first transaction that has not begun. */
export async function nextTransaction({ sql }: Pick<Database, 'sql'>): Promise<number> {
  const [row] = await sql<{ xmax: number }>('SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS xmax')
  return row!.xmax
}
