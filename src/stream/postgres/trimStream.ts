import { toBinaryArray } from '#postgres/binaryArrays.ts'
import type { Database } from '#postgres/database.ts'
import { dayOf } from '#stream/days.ts'
import type { TrimGuard } from '#stream/stream.ts'
import { firstPosition, oldestGeneration } from './positions.ts'
import { bodyTable, isTableMissing, type StreamTables, seenTable } from './streamTables.ts'

type TrimDeps = { database: Database; tables: StreamTables; isClosed(): boolean }

/** The number of records that are checked at once. */
const batchSize = 500

/** Moves records out of the table of their day, before that table is dropped. */
const move = (table: string, condition: string) => `
  WITH moved AS (DELETE FROM ${table} WHERE ${condition} RETURNING *)
  INSERT INTO body_kept SELECT * FROM moved`

/**
 * Deletes the records of whole days (UTC) that ended before `beforeMs`, and expired generations of keys. Unsettled
 * records and those that `guard` needs are moved to a separate table.
 */
export async function trimStream(
  { beforeMs, nowMs, spare: guard }: { beforeMs: number; nowMs: number; spare?: TrimGuard | undefined },
  deps: TrimDeps,
): Promise<void> {
  await trimKept(beforeMs, guard, deps)
  const endedBefore = dayOf(Math.min(beforeMs, nowMs))
  for (const day of await deps.tables.days()) {
    if (day >= endedBefore || deps.isClosed()) continue
    await trimDay(day, guard, deps).catch((error) => {
      if (!isTableMissing(error)) throw error // another process has dropped it
    })
  }
  for (const generation of await deps.tables.generations())
    if (generation < oldestGeneration(nowMs) && !deps.isClosed())
      await deps.tables.locked((sql) => sql(`DROP TABLE IF EXISTS ${seenTable(generation)}`))
}

async function trimDay(day: number, spare: TrimGuard | undefined, deps: TrimDeps): Promise<void> {
  if (spare && day >= dayOf(spare.lastMs)) await moveNeeded(day, spare, deps)
  if (!deps.isClosed()) await dropDay(day, deps)
}

/** Runs work on batches of positions of a table, in order, that were appended before a time. */
async function forBatches(
  table: string,
  beforeMs: number,
  { database, isClosed }: TrimDeps,
  work: (positions: readonly number[]) => Promise<unknown>,
): Promise<void> {
  const batch = `SELECT position FROM ${table} WHERE position > $1 AND appended_ms < $2 ORDER BY position LIMIT $3`
  for (let after = 0; !isClosed(); ) {
    const rows = await database.sql<{ position: number }>(batch, [after, beforeMs, batchSize])
    const last = rows.at(-1)
    if (!last) return
    await work(rows.map(({ position }) => position))
    after = last.position
  }
}

const moveNeeded = (day: number, { needed }: TrimGuard, deps: TrimDeps) =>
  forBatches(bodyTable(day), Number.MAX_SAFE_INTEGER, deps, async (positions) => {
    const kept = await needed(positions[0]!, positions.at(-1)!)
    if (kept.length === 0) return
    await deps.database.sql(move(bodyTable(day), 'position = ANY($1::bigint[])'), [toBinaryArray('int8', kept)])
  })

/** Drops the table of a day. After a day has ended, only appends that began earlier go to it: the lock waits for them. */
async function dropDay(day: number, { tables }: TrimDeps): Promise<void> {
  const table = bodyTable(day)
  await tables.locked(async (sql) => {
    await sql(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
    await sql(move(table, `position IN (SELECT position FROM todo WHERE position >= $1 AND position < $2)`), [
      firstPosition(day),
      firstPosition(day + 1),
    ])
    await sql(`DROP TABLE ${table}`)
  })
}

/** Deletes records outside of their day's table that are settled and no longer needed. */
async function trimKept(beforeMs: number, spare: TrimGuard | undefined, deps: TrimDeps): Promise<void> {
  await forBatches('body_kept', beforeMs, deps, async (positions) => {
    const kept = new Set(spare ? await spare.needed(positions[0]!, positions.at(-1)!) : [])
    const unneeded = positions.filter((position) => !kept.has(position))
    await deps.database.sql(
      `DELETE FROM body_kept
       WHERE (position = ANY($1::bigint[]) OR (position = ANY($2::bigint[]) AND appended_ms < $3))
         AND NOT EXISTS (SELECT 1 FROM todo WHERE todo.slot = body_kept.slot AND todo.position = body_kept.position)`,
      [toBinaryArray('int8', unneeded), toBinaryArray('int8', positions), spare?.lastMs ?? beforeMs],
    )
  })
}
