import type { Database } from './database.ts'

const leastVersion = 150_000

/** The database waits for fewer standbys than the setting requires. This passes soon for a newly promoted primary. */
export class TooFewStandbys extends Error {}

/** Settings without which an accepted event may be lost. */
const safeSettings = ['fsync', 'full_page_writes', 'synchronous_commit'] as const

/**
 * Refuses a database that may lose an accepted event. Throws an Error with one sentence for the operator.
 * `syncStandbys`: the number of standbys that must confirm each commit; 0 for a single server.
 * Source: https://www.postgresql.org/docs/15/runtime-config-wal.html
 */
export async function checkDatabase({ sql }: Pick<Database, 'sql'>, syncStandbys: number): Promise<void> {
  const rows = await sql<{ name: string; setting: string }>(
    'SELECT name, setting FROM pg_settings WHERE name = ANY($1)',
    [[...safeSettings, 'server_version_num', 'server_version', 'synchronous_standby_names', 'server_encoding']],
  )
  const settings = new Map(rows.map(({ name, setting }) => [name, setting]))
  if (Number(settings.get('server_version_num')) < leastVersion)
    throw new Error(`The database is PostgreSQL ${settings.get('server_version')}. Aglet requires version 15 or newer.`)
  if (settings.get('server_encoding') !== 'UTF8')
    throw new Error(`The database has the encoding ${settings.get('server_encoding')}. Create it with UTF8.`)
  for (const name of safeSettings)
    if (['off', 'local', 'remote_write'].includes(settings.get(name) ?? ''))
      throw new Error(`The database has ${name} = ${settings.get(name)}: accepted events may be lost. Set it to on.`)
  const named = countStandbys(settings.get('synchronous_standby_names') ?? '')
  if (named < syncStandbys)
    throw new TooFewStandbys(
      `The database waits for ${named} standbys at each commit, and AGLET_SYNC_STANDBYS is ${syncStandbys}. Set synchronous_standby_names, or AGLET_SYNC_STANDBYS=0 for a server without standbys.`,
    )
}

/**
 * The number of standbys that `synchronous_standby_names` waits for: `ANY 1 (a, b)`, `FIRST 2 (a, b, c)`, `2 (a, b)`,
 * or `a, b`.
 */
export function countStandbys(names: string): number {
  const text = names.trim()
  if (text === '') return 0
  const found = /^(?:ANY |FIRST )?(\d{1,3}) ?\(/i.exec(text)
  return found ? Number(found[1]) : 1
}

/** The number of standbys that confirm commits at the moment. */
export async function streamingStandbys({ sql }: Pick<Database, 'sql'>): Promise<number> {
  const [row] = await sql<{ count: number }>(
    `SELECT count(*) AS count FROM pg_stat_replication WHERE state = 'streaming' AND sync_state IN ('sync', 'quorum')`,
  )
  return row!.count
}

/** Rejects with the reason if the database accepts no writes, or would confirm them on too few standbys. */
export async function checkWritable(database: Pick<Database, 'sql'>, syncStandbys: number): Promise<void> {
  const standbys = await streamingStandbys(database)
  if (standbys < syncStandbys)
    throw new Error(`the database has ${standbys} standbys that confirm commits, fewer than ${syncStandbys}`)
}
