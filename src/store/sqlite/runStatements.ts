import type { WriteUnit } from '#kit/writeBatch.ts'
import { toKeyText } from '#store/keyText.ts'
import { deleteOverflowingRuns } from '#store/sql/webhookRuns.ts'
import type { RunRecord } from '#store/webhookRuns.ts'

const insertRun = 'INSERT INTO webhook_run (id, tag, script, at, sealed) VALUES (?, ?, ?, ?, ?)'
const insertRunEvent = `
  INSERT INTO webhook_run_event (tag, key, run, script, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`

/** Adds runs, and drops those that are over the limit of a script. */
export const runStatements = (runs: readonly RunRecord[]): WriteUnit => [
  {
    sql: insertRun,
    rows: runs.map(({ runId, tagId, scriptId, at, sealed }) => [runId, tagId, scriptId, at, sealed]),
  },
  {
    sql: insertRunEvent,
    rows: runs.flatMap(({ eventKeys, tagId, runId, scriptId, at }) =>
      eventKeys.map((key) => [tagId, toKeyText(key), runId, scriptId, at]),
    ),
  },
  deleteOverflowingRuns(runs),
]
