import type { Unit } from '#kit/units.ts'
import type { RefusedCalls } from '#store/found.ts'
import { addRefs, refOf } from './refs.ts'

const count = `
  INSERT INTO refused_count (tag, minute, whose, count) VALUES (${refOf}, ?, ?, ?)
  ON CONFLICT DO UPDATE SET count = count + excluded.count`

/** What adds calls to those that were refused in the same minute. */
export const addRefusedCalls = (rows: readonly RefusedCalls[]): Unit => [
  addRefs(rows.map(({ tagId }) => tagId)),
  { sql: count, rows: rows.map(({ tagId, at, of, calls }) => [tagId, Math.floor(at / 60_000), of, calls]) },
]
