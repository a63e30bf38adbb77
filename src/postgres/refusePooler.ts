import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from './database.ts'
import { DatabaseAway } from './databaseError.ts'

const channel = 'probe'
/** A listening connection gets a notice within some milliseconds. */
const noticeTimeoutMs = 5_000
const notifyEveryMs = 250
const connectWithinMs = 10_000

const giveUp = () => {
  throw new DatabaseAway('the database does not accept a connection for LISTEN')
}

const leads = 'AGLET_DATABASE_URL or AGLET_STREAM_URL points to a pooler'
const dropsSettings = new Error(
  `${leads} that refuses or drops the settings of a connection. Use the database itself, or a pooler that passes on the startup parameter "options".`,
)
const inTransactionMode = new Error(
  `${leads} in transaction mode, which supports neither notifications nor prepared statements. Use the database itself, or a pooler in session mode.`,
)
/** PgBouncer's refusal of the settings. */
const refusedSettings = /unsupported startup parameter/

/**
 * Refuses a pooler (such as PgBouncer) that changes the settings of a connection or drops notices. Throws an Error with
 * one sentence for the operator. Runs before any statement that depends on connection settings.
 */
export async function refusePooler(database: Pick<Database, 'schema' | 'sql' | 'listen'>): Promise<void> {
  const [row] = await database
    .sql<{ path: string; plan: string }>(
      `SELECT current_setting('search_path') AS path, current_setting('plan_cache_mode') AS plan`,
    )
    .catch((error: Error) => {
      throw refusedSettings.test(error.message) ? dropsSettings : error
    })
  if (row!.path !== database.schema || row!.plan !== 'force_generic_plan') throw dropsSettings
  if (!(await receivesNotices(database))) throw inTransactionMode
}

/** Whether a listening connection gets a notice that another connection sent. */
async function receivesNotices({ schema, sql, listen }: Pick<Database, 'schema' | 'sql' | 'listen'>): Promise<boolean> {
  const sent = randomUUID()
  const ended = new AbortController()
  let isReceived = false
  let connected = () => {}
  const isConnected = new Promise<void>((resolve) => {
    connected = resolve
  })
  const listener = listen(channel, {
    notified(payload) {
      if (payload !== sent) return
      isReceived = true
      ended.abort()
    },
    connected,
  })
  try {
    await Promise.race([isConnected, wait(connectWithinMs, undefined, { ref: false }).then(giveUp)])
    for (const giveUpAt = performance.now() + noticeTimeoutMs; !isReceived && performance.now() < giveUpAt; ) {
      await sql('SELECT pg_notify($1, $2)', [`${schema}_${channel}`, sent])
      await wait(notifyEveryMs, undefined, { signal: ended.signal }).catch(() => {})
    }
    return isReceived
  } finally {
    await listener.close()
  }
}
