import type { Statement } from '#kit/writeBatch.ts'
import type { Writer } from '#kit/writer.ts'
import { withoutNulls } from '#store/sql/rowMappings.ts'
import type { ChannelPause, Journal } from '#store/store.ts'
import { addRefs, selectRef } from './refs.ts'
import type { SqlReader, SqlRow } from './sqlReader.ts'

const selectPauses = `
  SELECT channel_pause.*, script.id AS script_id, tag.id AS tag_id FROM channel_pause
  JOIN ref AS script ON script.no = channel_pause.script JOIN ref AS tag ON tag.no = channel_pause.tag`
const ofScripts = 'WHERE script.id IN (SELECT value FROM json_each(?))'
const upsertPause = `
  INSERT OR REPLACE INTO channel_pause (script, tag, reason, since, until, times, secrets)
  VALUES (${selectRef}, ${selectRef}, ?, ?, ?, ?, ?)`

const readPause = (row: SqlRow) =>
  withoutNulls<ChannelPause>({
    scriptId: row.script_id,
    tagId: row.tag_id,
    reason: row.reason,
    since: row.since,
    until: row.until,
    times: row.times,
    secrets: row.secrets,
  })

/** Ends the automatic pause of a channel. */
export const deletePauseStatement = (scriptId: string): Statement => ({
  sql: `DELETE FROM channel_pause WHERE script = ${selectRef}`,
  rows: [[scriptId]],
})

export const createPauseQueries = (read: SqlReader, writer: Writer): Pick<Journal, 'pauses' | 'pause' | 'resume'> => ({
  pauses: async (scriptIds) =>
    scriptIds
      ? read.all(`${selectPauses} ${ofScripts}`, JSON.stringify(scriptIds)).map(readPause)
      : read.all(selectPauses).map(readPause),
  pause: ({ scriptId, tagId, reason, since, until, times, secrets }) =>
    writer.write([
      addRefs([scriptId, tagId]),
      { sql: upsertPause, rows: [[scriptId, tagId, reason, since, until, times, secrets]] },
    ]),
  resume: (scriptId) => writer.write([deletePauseStatement(scriptId)]),
})
