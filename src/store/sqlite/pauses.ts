import type { Statement } from '#kit/units.ts'
import type { Writer } from '#kit/writer.ts'
import type { ChannelPause, Journal } from '#store/store.ts'
import type { Read, Row } from './read.ts'
import { addRefs, refOf } from './refs.ts'
import { present } from './rows.ts'

const pauses = `
  SELECT channel_pause.*, script.id AS script_id, tag.id AS tag_id FROM channel_pause
  JOIN ref AS script ON script.no = channel_pause.script JOIN ref AS tag ON tag.no = channel_pause.tag`
const pause = `
  INSERT OR REPLACE INTO channel_pause (script, tag, reason, since, until, times, secrets)
  VALUES (${refOf}, ${refOf}, ?, ?, ?, ?, ?)`

const pauseRow = (row: Row) =>
  present<ChannelPause>({
    scriptId: row.script_id,
    tagId: row.tag_id,
    reason: row.reason,
    since: row.since,
    until: row.until,
    times: row.times,
    secrets: row.secrets,
  })

/** What lets a channel go on that was paused because of its vendor. */
export const resumed = (scriptId: string): Statement => ({
  sql: `DELETE FROM channel_pause WHERE script = ${refOf}`,
  rows: [[scriptId]],
})

export const pausesOf = (read: Read, writer: Writer): Pick<Journal, 'pauses' | 'pause' | 'resume'> => ({
  pauses: async () => read.all(pauses).map(pauseRow),
  pause: ({ scriptId, tagId, reason, since, until, times, secrets }) =>
    writer.write([
      addRefs([scriptId, tagId]),
      { sql: pause, rows: [[scriptId, tagId, reason, since, until, times, secrets]] },
    ]),
  resume: (scriptId) => writer.write([resumed(scriptId)]),
})
