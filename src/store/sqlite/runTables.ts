import type { WriteUnit } from '#kit/writeBatch.ts'
import { keptRuns, type RunRecord, type RunStore } from '#store/webhookRuns.ts'
import { readPage, type SqlReader, type SqlRow } from './sqlReader.ts'

const insertRun = 'INSERT INTO webhook_run (id, tag, script, at, sealed) VALUES (?, ?, ?, ?, ?)'
const insertRunEvent = `
  INSERT INTO webhook_run_event (tag, key, run, script, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
const deleteOverflow = `
  DELETE FROM webhook_run WHERE script = ?1 AND no <= (
    SELECT no FROM webhook_run WHERE script = ?1 ORDER BY no DESC LIMIT 1 OFFSET ${keptRuns})`

const toKeyText = (key: bigint) => BigInt.asUintN(64, key).toString(16).padStart(16, '0')

/** Adds runs, and drops those that are over the limit of a script. */
export function runStatements(runs: readonly RunRecord[]): WriteUnit {
  return [
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
    { sql: deleteOverflow, rows: [...new Set(runs.map(({ scriptId }) => scriptId))].map((scriptId) => [scriptId]) },
  ]
}

export const deleteOldRuns = (before: number): WriteUnit =>
  ['webhook_run', 'webhook_run_event'].map((table) => ({ sql: `DELETE FROM ${table} WHERE at < ?`, rows: [[before]] }))

/** Deletes the runs of a script or a tag. */
export const deleteRuns = (column: 'script' | 'tag', id: string): WriteUnit =>
  ['webhook_run', 'webhook_run_event'].map((table) => ({
    sql: `DELETE FROM ${table} WHERE ${column} = ?`,
    rows: [[id]],
  }))

const readRun = (row: SqlRow) => ({
  runId: String(row.id),
  tagId: String(row.tag),
  scriptId: String(row.script),
  at: Number(row.at),
  sealed: row.sealed as Uint8Array,
})

const selectOfEvent =
  'SELECT run, script FROM webhook_run_event WHERE tag = ? AND key IN (SELECT value FROM json_each(?))'

export const createRunStore = (read: SqlReader): RunStore => ({
  list: async (scriptId, page) =>
    readPage(
      read,
      { sql: 'SELECT * FROM webhook_run WHERE script = ?', params: [scriptId], columns: ['no'] },
      page,
      readRun,
    ),
  async ofEvent(tagId, keys) {
    const row = read.one(selectOfEvent, tagId, JSON.stringify(keys.map(toKeyText)))
    return row && { runId: String(row.run), scriptId: String(row.script) }
  },
})
