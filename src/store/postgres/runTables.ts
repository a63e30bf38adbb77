import type { Sql } from '#postgres/database.ts'
import { toKeyText } from '#store/keyText.ts'
import { deleteOverflowingRuns } from '#store/sql/webhookRuns.ts'
import type { RunRecord } from '#store/webhookRuns.ts'
import { runStatement } from './statements.ts'

const insertRuns = `
  INSERT INTO webhook_run (id, tag, script, at, sealed)
  SELECT id, tag, script, at, sealed
  FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bytea[]) WITH ORDINALITY
    AS each (id, tag, script, at, sealed, place)
  ORDER BY place`
const insertRunEvents = `
  INSERT INTO webhook_run_event (tag, key, run, script, at)
  SELECT tag, key, run, script, at
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[]) AS each (tag, key, run, script, at)
  ORDER BY tag COLLATE "C", key COLLATE "C"
  ON CONFLICT DO NOTHING`

/** Adds runs, and drops those that are over the limit of a script. */
export async function addRuns(sql: Sql, runs: readonly RunRecord[]): Promise<void> {
  const column = <Key extends keyof RunRecord>(key: Key) => runs.map((run) => run[key])
  await sql(insertRuns, [column('runId'), column('tagId'), column('scriptId'), column('at'), column('sealed')])
  const events = runs.flatMap((run) => run.eventKeys.map((key) => ({ ...run, key: toKeyText(key) })))
  await sql(insertRunEvents, [
    events.map(({ tagId }) => tagId),
    events.map(({ key }) => key),
    events.map(({ runId }) => runId),
    events.map(({ scriptId }) => scriptId),
    events.map(({ at }) => at),
  ])
  await runStatement(sql, deleteOverflowingRuns(runs))
}
