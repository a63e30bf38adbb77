import { toBinaryArray, toBinaryFields } from '#postgres/binaryArrays.ts'
import type { Sql } from '#postgres/database.ts'
import type { TodoRow } from './slotCursors.ts'

// Looks up each row by its key. A join could read the whole table, whose size changes all the time.
const byKeys = `
  DELETE FROM todo WHERE ctid = ANY(ARRAY(
    SELECT t.ctid FROM unnest($1::int[], $2::bigint[], $3::bigint[]) AS d(slot, xid, position) CROSS JOIN LATERAL (
      SELECT ctid FROM todo WHERE slot = d.slot AND xid = d.xid AND position = d.position LIMIT 1
    ) t
  ))`
const byPositions = 'DELETE FROM todo WHERE slot = ANY($1::int[]) AND position = ANY($2::bigint[])'

/**
 * Deletes these positions from the waiting records. `known`: returns the row of a record that was leased here. Other
 * positions are searched in `slots`.
 */
export async function settleRecords(
  positions: readonly number[],
  { known, slots }: { known(position: number): TodoRow | undefined; slots: readonly number[] },
  sql: Sql,
): Promise<void> {
  const rows = positions.flatMap((position) => known(position) ?? [])
  if (rows.length > 0) await sql(byKeys, toBinaryFields(rows, { slot: 'int4', xid: 'int8', position: 'int8' }))
  const others = positions.filter((position) => !known(position))
  if (others.length > 0) await sql(byPositions, [toBinaryArray('int4', slots), toBinaryArray('int8', others)])
}
