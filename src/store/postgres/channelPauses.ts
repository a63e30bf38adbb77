import type { QueryRow, Sql } from '#postgres/database.ts'
import { withoutNulls } from '#store/sql/rowMappings.ts'
import type { ChannelPause } from '#store/store.ts'

const selectAll = 'SELECT * FROM channel_pause ORDER BY script'
const selectPauses = 'SELECT * FROM channel_pause WHERE script = ANY($1) ORDER BY script'
const upsertPause = `
  INSERT INTO channel_pause (script, tag, reason, since, until, times, secrets) VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (script) DO UPDATE SET tag = excluded.tag, reason = excluded.reason, since = excluded.since,
    until = excluded.until, times = excluded.times, secrets = excluded.secrets`

const readPause = (row: QueryRow) =>
  withoutNulls<ChannelPause>({
    scriptId: row.script,
    tagId: row.tag,
    reason: row.reason,
    since: row.since,
    until: row.until,
    times: row.times,
    secrets: row.secrets,
  })

/** The automatic pauses of these scripts, by default all. */
export const readPauses = async (sql: Sql, scriptIds?: readonly string[]): Promise<ChannelPause[]> =>
  (scriptIds ? await sql(selectPauses, [scriptIds]) : await sql(selectAll)).map(readPause)

export async function writePause(sql: Sql, pause: ChannelPause): Promise<void> {
  const { scriptId, tagId, reason, since, until, times, secrets } = pause
  await sql(upsertPause, [scriptId, tagId, reason, since, until, times, secrets])
}

/** Ends the automatic pause of a channel. */
export async function deletePause(sql: Sql, scriptId: string): Promise<void> {
  await sql('DELETE FROM channel_pause WHERE script = $1', [scriptId])
}
