import type { Clock } from '#kit/clock.ts'
import { type CheckResult, runCheck } from '#kit/runCheck.ts'
import { checkDatabase, countStandbys } from './checkDatabase.ts'
import { readProcesses, readStandbys } from './clusterStatus.ts'
import { type Database, openDatabase } from './database.ts'
import { measureOffset, refuseOffset } from './databaseClock.ts'
import { readMigrations } from './migrate.ts'

/** The result of one check. The message of a failed check says what to do. */

export type InspectServerOptions = {
  url: string
  /** The schemas that are checked, by the names of their environments. */
  schemas: Readonly<Record<string, string>>
  /** The standbys that must confirm each commit. */
  syncStandbys: number
  clock: Clock
  readTodo(database: Database): Promise<{ records: number; oldestAt?: number }>
}

const oldTodoMs = 60_000
/** A disconnected standby delays commits for this long. */
const longTimeoutMs = 10_000

async function readSetting({ sql }: Database, name: string): Promise<string> {
  const [row] = await sql<{ setting: string }>('SELECT setting FROM pg_settings WHERE name = $1', [name])
  return row?.setting ?? ''
}

/** `name`: the setting that names the database. */
export async function checkReachable(database: Database, name = 'AGLET_DATABASE_URL'): Promise<string> {
  const [row] = await database
    .sql<{ host: string }>(`SELECT coalesce(host(inet_server_addr()), 'a socket') AS host`)
    .catch((error) => {
      throw new Error(
        `no host of ${name} accepts writes (${error.message}): start the database, or wait for the failover`,
      )
    })
  return `PostgreSQL ${await readSetting(database, 'server_version')}, the primary is ${row!.host}`
}

export async function checkStandbys(database: Database, needed: number): Promise<string> {
  const named = countStandbys(await readSetting(database, 'synchronous_standby_names'))
  const { streaming, confirming } = await readStandbys(database)
  const found = `each commit waits for ${named}; ${streaming} stream, of which ${confirming} confirm commits`
  if (confirming >= needed) return found
  throw new Error(`${found}; AGLET_SYNC_STANDBYS is ${needed}: start a standby, or check patronictl list`)
}

export async function checkGrant({ sql }: Database): Promise<string> {
  const [row] = await sql<{ user: string; has: boolean }>(
    `SELECT current_user AS user, pg_has_role(current_user, 'pg_monitor', 'USAGE') AS has`,
  )
  if (row!.has) return `${row!.user} sees the standbys`
  throw new Error(`the state of the standbys is hidden from ${row!.user}: run GRANT pg_monitor TO ${row!.user}`)
}

async function checkSenderTimeout(database: Database): Promise<string> {
  const timeoutMs = Number(await readSetting(database, 'wal_sender_timeout'))
  if (timeoutMs > 0 && timeoutMs <= longTimeoutMs) return `${timeoutMs / 1_000} s`
  const now = timeoutMs === 0 ? 'off' : `${timeoutMs / 1_000} s`
  throw new Error(`it is ${now}, so a disconnected standby can delay commits that long: set wal_sender_timeout = 5s`)
}

export async function checkClock(database: Database, clock: Clock): Promise<string> {
  const offsetMs = await measureOffset({ database, clock })
  if (offsetMs === undefined) throw new Error('the database took more than 2 s to respond: check its load')
  refuseOffset(offsetMs)
  return `this machine is ${Math.abs(offsetMs)} ms ${offsetMs > 0 ? 'behind' : 'ahead of'} the database`
}

/** Whether the schema was created by a start. */
export async function isCreated({ sql }: Database): Promise<boolean> {
  const [table] = await sql<{ exists: boolean }>(`SELECT to_regclass('migration') IS NOT NULL AS exists`)
  return table!.exists
}

/** Checks that the schema exists, which migrations it has, and whether this version may use it. */
export async function checkSchema(database: Database): Promise<string> {
  const known = (await readMigrations()).length
  if (!(await isCreated(database))) return 'not created yet'
  const [row] = await database.sql<{ applied: number; least: number }>(
    'SELECT coalesce(max(number), 0) AS applied, coalesce(max(least), 0) AS least FROM migration',
  )
  const { applied, least } = row!
  if (least > known)
    throw new Error(`it needs a version that knows ${least} migrations, this one knows ${known}: upgrade`)
  if (applied < known) return `${applied} of ${known} migrations; the next start applies the rest`
  return applied > known
    ? `${applied} migrations, more than the ${known} of this version, which can still run`
    : `${applied} migrations`
}

async function checkProcesses(database: Database): Promise<string> {
  const { processes, slotsWithoutOwner, changesBehind } = await readProcesses(database)
  const names = Object.entries(processes).map(([role, count]) => `${count} ${role}`)
  const found = names.length > 0 ? names.join(', ') : 'no process'
  if (names.length === 0) throw new Error('no process runs: start aglet@control, aglet@edge and aglet@worker')
  if (slotsWithoutOwner > 0)
    throw new Error(
      `${found}; ${slotsWithoutOwner} of 256 slots have no owner, so their events wait: start a worker, or check again in ten seconds`,
    )
  if (changesBehind > 0) throw new Error(`${found}; one has not applied ${changesBehind} changes: check its log`)
  return `${found}; every slot has an owner`
}

async function checkTodo(database: Database, { readTodo, clock }: InspectServerOptions): Promise<string> {
  const { records, oldestAt } = await readTodo(database)
  if (oldestAt === undefined) return 'nothing waits'
  const offsetMs = (await measureOffset({ database, clock })) ?? 0
  const ageMs = Math.max(0, clock.now() + offsetMs - oldestAt)
  const found = `${records} records wait, the oldest for ${Math.round(ageMs / 1_000)} s`
  if (ageMs < oldTodoMs) return found
  throw new Error(`${found}: check the logs of the workers, or start more workers`)
}

async function inspectSchema(
  environment: string,
  schema: string,
  options: InspectServerOptions,
): Promise<CheckResult[]> {
  const database = openDatabase({ url: options.url, schema, connections: 1 })
  try {
    const found = await runCheck(`${environment} schema`, () => checkSchema(database))
    if (!found.ok || found.message === 'not created yet') return [found]
    return [
      found,
      await runCheck(`${environment} processes`, () => checkProcesses(database)),
      await runCheck(`${environment} stream`, () => checkTodo(database, options)),
    ]
  } finally {
    await database.close()
  }
}

/** Checks a database and the processes that share it. Changes nothing. */
export async function inspectServer(options: InspectServerOptions): Promise<CheckResult[]> {
  const { url, schemas, syncStandbys, clock } = options
  const database = openDatabase({ url, schema: Object.values(schemas)[0]!, connections: 1 })
  try {
    const reached = await runCheck('database', () => checkReachable(database))
    if (!reached.ok) return [reached]
    const findings = [
      reached,
      await runCheck('database settings', async () => {
        await checkDatabase(database, syncStandbys)
        return 'a commit is safe'
      }),
      await runCheck('clock', () => checkClock(database, clock)),
    ]
    if (syncStandbys > 0)
      findings.push(
        await runCheck('standbys', () => checkStandbys(database, syncStandbys)),
        await runCheck('pg_monitor', () => checkGrant(database)),
        await runCheck('wal_sender_timeout', () => checkSenderTimeout(database)),
      )
    for (const [environment, schema] of Object.entries(schemas))
      findings.push(...(await inspectSchema(environment, schema, options)))
    return findings
  } finally {
    await database.close()
  }
}
