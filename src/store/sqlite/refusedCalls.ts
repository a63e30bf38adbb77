import type { WriteUnit } from '#kit/writeBatch.ts'
import type { RefusedCalls } from '#store/deliveryQueries.ts'
import { addRefs, selectRef } from './refs.ts'

const upsertRefusedCount = `
  INSERT INTO refused_count (tag, minute, scope, count) VALUES (${selectRef}, ?, ?, ?)
  ON CONFLICT DO UPDATE SET count = count + excluded.count`

/** Adds calls to the counts of their minutes. */
export const refusedCallStatements = (rows: readonly RefusedCalls[]): WriteUnit => [
  addRefs(rows.map(({ tagId }) => tagId)),
  {
    sql: upsertRefusedCount,
    rows: rows.map(({ tagId, at, of, calls }) => [tagId, Math.floor(at / 60_000), of, calls]),
  },
]
