import type { Statement } from '#kit/writeBatch.ts'
import type { ChannelPause, Journal } from '#store/store.ts'
import type { Dialect } from './dialect.ts'
import { mapRow } from './rowMappings.ts'
import { type SqlReads, toStatement } from './sql.ts'

const state = { reason: 'reason', since: 'since', until: 'until', times: 'times', secrets: 'secrets' }
const pauseRow = mapRow<ChannelPause>({ scriptId: 'script_id', tagId: 'tag_id', ...state })

/** Ends the automatic pause of a channel. */
export const deletePause = ({ ref }: Dialect, scriptId: string): Statement =>
  toStatement(`DELETE FROM channel_pause WHERE script = ${ref('?')}`, scriptId)

/** `write` writes a statement after it assigned numbers to the ids. */
export function createPauseQueries(
  dialect: Dialect,
  reads: SqlReads,
  write: (statement: Statement, ids: readonly string[]) => Promise<void>,
): Pick<Journal, 'pauses' | 'pause' | 'resume'> {
  const { ref, idOf, isRefOf } = dialect
  const ids = `${idOf('channel_pause.script')} AS script_id, ${idOf('channel_pause.tag')} AS tag_id`
  const selectAll = `SELECT channel_pause.*, ${ids} FROM channel_pause`
  const selectSome = `${selectAll} WHERE ${isRefOf('channel_pause.script', '?')}`
  const columns = ['tag', ...Object.values(state)]
  const upsert = `
    INSERT INTO channel_pause (script, ${columns.join(', ')}) VALUES (${ref('?')}, ${ref('?')}, ?, ?, ?, ?, ?)
    ON CONFLICT (script) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}`
  return {
    async pauses(scriptIds) {
      const params = scriptIds ? [JSON.stringify(scriptIds)] : []
      return (await reads.all(scriptIds ? selectSome : selectAll, ...params)).map(pauseRow.read)
    },
    pause: ({ scriptId, tagId, reason, since, until, times, secrets }) =>
      write(toStatement(upsert, scriptId, tagId, reason, since, until, times, secrets), [scriptId, tagId]),
    resume: (scriptId) => write(deletePause(dialect, scriptId), []),
  }
}
