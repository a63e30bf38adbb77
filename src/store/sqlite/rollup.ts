import type { RetentionCutoffs } from '#store/deliveryQueries.ts'
import { type CountTable, countTableNames, countTables } from '#store/sql/countTables.ts'
import type { RetentionLook } from './retentionSlice.ts'

const minuteMs = 60_000

/** Adds the counts of minutes to the first minute of their step, so that old counts take less space. */
function createRollup(
  table: CountTable,
  stepMinutes: number,
  cutoff: (cutoffs: RetentionCutoffs) => number,
): RetentionLook {
  const by = countTables[table]
  const selectFineMinute = `SELECT minute FROM ${table} WHERE tag = ? AND minute > ? AND minute < ? AND minute % ${stepMinutes} <> 0
    ORDER BY minute LIMIT 1`
  const inStep = `tag = ?1 AND minute > ?2 AND minute < ?2 + ${stepMinutes}`
  const insertSum = `INSERT INTO ${table} SELECT tag, ?2, ${by}, sum(count) FROM ${table} WHERE ${inStep} GROUP BY ${by}
    ON CONFLICT DO UPDATE SET count = count + excluded.count`
  const deleteFine = `DELETE FROM ${table} WHERE ${inStep}`
  return (read, cutoffs, { no }, cursor) => {
    // A step is rolled up once all of it is older than the cutoff.
    const until = Math.floor(cutoff(cutoffs) / minuteMs / stepMinutes) * stepMinutes
    const minute = read.one(selectFineMinute, no, cursor.position, until)?.minute
    if (minute === undefined) return { statements: [], dropped: 0, next: undefined }
    const stepStart = Number(minute) - (Number(minute) % stepMinutes)
    const statements = [insertSum, deleteFine].map((sql) => ({ sql, rows: [[no, stepStart]] }))
    return { statements: statements, dropped: 0, next: { ...cursor, position: stepStart + stepMinutes - 1 } }
  }
}

/** First from minutes to hours, then from hours to days. */
export const rollups = [
  ...countTableNames.map((table) => createRollup(table, 60, ({ hourlyRollupMs: hoursMs }) => hoursMs)),
  ...countTableNames.map((table) => createRollup(table, 24 * 60, ({ dailyRollupMs: daysMs }) => daysMs)),
]
