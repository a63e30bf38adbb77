import type { RetentionCutoffs } from '#store/deliveryQueries.ts'
import { type CountTable, countTableNames, countTables } from '#store/sql/countTables.ts'
import type { RetentionStep } from './retentionSlice.ts'

const minuteMs = 60_000

/** Adds the counts of minutes to the first minute of their step, so that old counts take less space. */
function createRollup(
  table: CountTable,
  stepMinutes: number,
  cutoff: (cutoffs: RetentionCutoffs) => number,
): RetentionStep {
  const by = countTables[table]
  const selectFineMinute = `
    SELECT minute FROM ${table} WHERE tag = $1 AND minute > $2 AND minute < $3 AND minute % ${stepMinutes} <> 0
    ORDER BY tag, minute LIMIT 1`
  // What is removed is what is added, also if another process counts in this range.
  const rollUp = `
    WITH removed AS (
      DELETE FROM ${table} WHERE tag = $1 AND minute > $2 AND minute < $2 + ${stepMinutes} RETURNING ${by}, count
    )
    INSERT INTO ${table} AS counted (tag, minute, ${by}, count)
    SELECT $1, $2, ${by}, sum(count) FROM removed GROUP BY ${by} ORDER BY ${by}
    ON CONFLICT (tag, minute, ${by}) DO UPDATE SET count = counted.count + excluded.count`
  return async ({ sql }, cutoffs, tagId, cursor) => {
    // A step is rolled up once all of it is older than the cutoff.
    const until = Math.floor(cutoff(cutoffs) / minuteMs / stepMinutes) * stepMinutes
    const [fine] = await sql(selectFineMinute, [tagId, cursor.position, until])
    if (!fine) return { dropped: 0, next: undefined }
    const stepStart = Number(fine.minute) - (Number(fine.minute) % stepMinutes)
    await sql(rollUp, [tagId, stepStart])
    return { dropped: 0, next: { ...cursor, position: stepStart + stepMinutes - 1 } }
  }
}

/** First from minutes to hours, then from hours to days. */
export const rollups: readonly RetentionStep[] = [
  ...countTableNames.map((table) => createRollup(table, 60, ({ hourlyRollupMs }) => hourlyRollupMs)),
  ...countTableNames.map((table) => createRollup(table, 24 * 60, ({ dailyRollupMs }) => dailyRollupMs)),
]
