import type { Statement, WriteUnit } from '#kit/writeBatch.ts'
import { toKeyText } from '#store/keyText.ts'
import type { StoreChange } from '#store/store.ts'
import { keptRuns, type RunRecord, type RunStore } from '#store/webhookRuns.ts'
import { mergeRows } from './bulkRows.ts'
import type { Dialect } from './dialect.ts'
import { readPageOf, rowsOf } from './page.ts'
import { type SqlReads, type SqlRow, toStatement } from './sql.ts'

const deleteOverflow = `
  DELETE FROM webhook_run WHERE script = ?1 AND no <= (
    SELECT no FROM webhook_run WHERE script = ?1 ORDER BY no DESC LIMIT 1 OFFSET ${keptRuns})`

/** Adds runs, and drops runs above the limit of a script. */
export function createRunStatements({ insert }: Dialect): (runs: readonly RunRecord[]) => WriteUnit {
  const insertRuns = insert('webhook_run', { id: 'text', tag: 'text', script: 'text', at: 'int8', sealed: 'bytea' })
  const insertEvents = insert(
    'webhook_run_event',
    { tag: 'text', key: 'text', run: 'text', script: 'text', at: 'int8' },
    'ON CONFLICT DO NOTHING',
  )
  return (runs) => {
    const events = runs.flatMap(({ eventKeys, tagId, runId, scriptId, at }) =>
      eventKeys.map((key) => [tagId, toKeyText(key), runId, scriptId, at]),
    )
    const scripts = [...new Set(runs.map(({ scriptId }) => scriptId))].sort()
    return [
      insertRuns(runs.map(({ runId, tagId, scriptId, at, sealed }) => [runId, tagId, scriptId, at, sealed])),
      insertEvents(mergeRows(events, 2, (one) => one)),
      { sql: deleteOverflow, rows: scripts.map((scriptId) => [scriptId]) },
    ]
  }
}

const tables = ['webhook_run', 'webhook_run_event']

/** Rows per commit. */
const rowsPerSlice = 500
const oldest = (table: string, key: string) =>
  `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key.replace(/[()]/g, '')} FROM ${table} WHERE at < ? ORDER BY at LIMIT ${rowsPerSlice})`

export const deleteOldRuns = (before: number): Statement[] => [
  toStatement(oldest('webhook_run', 'no'), before),
  toStatement(oldest('webhook_run_event', '(tag, key)'), before),
]

const selectOlder = tables.map((table) => `SELECT 1 AS one FROM ${table} WHERE at < ?1`).join(' UNION ALL ')

const runOfEvent = (column: 'run' | 'script') => `(SELECT ${column} FROM webhook_run_event WHERE tag = ?1 AND key = ?2)`

/**
 * Deletes these runs, and those that sent these events. The keys of their events are deleted with the script or after a
 * time.
 */
export const eraseRuns = ({ tagId, keys, runs = [] }: Extract<StoreChange, { erase: 'runs' }>): Statement[] =>
  [
    {
      sql: `DELETE FROM webhook_run WHERE script = ${runOfEvent('script')} AND id = ${runOfEvent('run')}`,
      rows: keys.map((key) => [tagId, toKeyText(key)]),
    },
    {
      sql: 'DELETE FROM webhook_run WHERE script = ? AND id = ? AND tag = ?',
      rows: runs.map(({ scriptId, runId }) => [scriptId, runId, tagId]),
    },
  ].filter(({ rows }) => rows.length > 0)

export const deleteRuns = (column: 'script' | 'tag', id: string): Statement[] =>
  tables.map((table) => toStatement(`DELETE FROM ${table} WHERE ${column} = ?`, id))

const readRun = (row: SqlRow) => ({
  runId: String(row.id),
  tagId: String(row.tag),
  scriptId: String(row.script),
  at: Number(row.at),
  sealed: row.sealed as Uint8Array,
})

export const createRunStore = (reads: SqlReads, { elements }: Dialect): RunStore => ({
  list: (scriptId, page) => readPageOf(reads, rowsOf('webhook_run', 'script', scriptId), page, readRun),
  hasOlder: async (before) => (await reads.one(`${selectOlder} LIMIT 1`, before)) !== undefined,
  async ofEvent(tagId, keys) {
    const select = `SELECT run, script FROM webhook_run_event WHERE tag = ? AND key IN (${elements('?')})`
    const row = await reads.one(select, tagId, JSON.stringify(keys.map(toKeyText)))
    return row && { runId: String(row.run), scriptId: String(row.script) }
  },
})
