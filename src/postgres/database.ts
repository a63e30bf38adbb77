import type pg from 'pg'
import { CommitUnknown, DatabaseAway, isAway, isRepeatable, isStale, toDatabaseError } from './databaseError.ts'
import { type ListenCallbacks, type Listener, listen } from './listen.ts'
import { openPool, type Pool } from './pool.ts'

export type SqlValue = string | number | bigint | boolean | null | Uint8Array | Date | readonly SqlValue[]
export type QueryRow = Record<string, unknown>

/** Runs one statement, and returns its rows. The statement is prepared once for each connection. */
export type Sql = <Row extends QueryRow = QueryRow>(text: string, values?: readonly SqlValue[]) => Promise<Row[]>

/**
 * A PostgreSQL database, of which one schema is used. Unqualified names belong to that schema. `int8` is read as a
 * number, so a column with more than 53 bits must be read as text or bytes.
 */
export type Database = {
  readonly schema: string
  /** Runs one statement in its own transaction. Throws a DatabaseError. */
  sql: Sql
  /**
   * Runs statements in one transaction (READ COMMITTED). It is repeated after a deadlock, because a deadlock rolls
   * everything back. Throws CommitUnknown if the answer of the commit was lost: the caller repeats it if that is
   * harmless.
   */
  transaction<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result>
  /** Listens to `NOTIFY schema.channel` on a connection of its own. */
  listen(channel: string, callbacks: ListenCallbacks): Listener
  /** The number of connections that are open, the idle ones of them, and the callers that wait for one. */
  connections(): { open: number; idle: number; waiting: number }
  close(): Promise<void>
}

type PostgresOptions = {
  /** `postgres://user@host1,host2/name`: the host that is not in recovery is used. */
  url: string
  schema: string
  /** The maximum number of connections. */
  connections: number
  /** Gets each error of the database, even if the work is repeated. */
  failed?(error: unknown): void
  /** A statement that takes longer than this closes its connection (ms). */
  timeoutMs?: number
}

/** The maximum number of runs of a transaction after deadlocks, or after a migration has made connections stale. */
const maxRuns = 12
const defaultTimeoutMs = 10_000

/** The names of prepared statements, by their texts. */
function createStatementNames() {
  const names = new Map<string, string>()
  return (text: string): string => {
    const name = names.get(text) ?? `s${names.size}`
    names.set(text, name)
    return name
  }
}

/** PostgreSQL stores no NUL characters, but strangers can send them. */
const withoutNul = (text: string) => (text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text)

function toParameter(value: SqlValue): unknown {
  if (typeof value === 'string') return withoutNul(value)
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return value.map(toParameter)
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value
}

type Run = (client: pg.ClientBase, text: string, values: readonly SqlValue[]) => Promise<QueryRow[]>

function createRun(): Run {
  const nameOf = createStatementNames()
  return async (client, text, values) => {
    try {
      const { rows } = await client.query<QueryRow>({ name: nameOf(text), text, values: values.map(toParameter) })
      return rows
    } catch (error) {
      throw toDatabaseError(error)
    }
  }
}

/** Runs work on a connection, which is closed afterwards if it must not be reused. */
const withClient = <Result>(pool: Pool, work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> =>
  pool.watched(() => withClientOnce(pool, work))

async function withClientOnce<Result>(pool: Pool, work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    return await work(client)
  } catch (error) {
    if (isStale(error)) broken = error as Error
    else if (isAway(error) || error instanceof CommitUnknown) {
      broken = error as Error
      void pool.searchPrimary()
    }
    throw error
  } finally {
    client.release(broken)
  }
}

async function transactionOnce<Result>(
  client: pg.PoolClient,
  work: (sql: Sql) => Promise<Result>,
  run: Run,
): Promise<Result> {
  try {
    await client.query('BEGIN')
    const result = await work(((text, values = []) => run(client, text, values)) as Sql)
    await commit(client)
    return result
  } catch (error) {
    const known = toDatabaseError(error)
    if (!isAway(known) && !(known instanceof CommitUnknown)) await rollBack(client)
    throw known
  }
}

/** A connection that cannot roll back must not be reused: throws DatabaseAway. */
async function rollBack(client: pg.ClientBase): Promise<void> {
  await client.query('ROLLBACK').catch((error) => {
    throw toDatabaseError(error)
  })
}

/**
 * Runs a statement that commits. If the wait for replication was cancelled, the server answers success with a warning:
 * no standby may have the commit, so it counts as unknown.
 */
async function withReplication<Result>(client: pg.ClientBase, commits: () => Promise<Result>): Promise<Result> {
  let warning: Error | undefined
  const onNotice = ({ code, message }: { code?: string | undefined; message?: string | undefined }) => {
    if (code === '01000') warning = new Error(message)
  }
  client.on('notice', onNotice)
  try {
    const result = await commits()
    if (warning) throw new CommitUnknown(warning.message, { cause: warning })
    return result
  } finally {
    client.removeListener('notice', onNotice)
  }
}

async function commit(client: pg.ClientBase): Promise<void> {
  try {
    await withReplication(client, () => client.query('COMMIT'))
  } catch (error) {
    const known = toDatabaseError(error)
    throw isAway(known) ? new CommitUnknown('the response to a commit was lost', { cause: error }) : known
  }
}

/** Repeats work while it fails with a temporary error. A failed run must have stored nothing. */
async function repeated<Result>(
  work: () => Promise<Result>,
  { failed, passes }: { failed(error: unknown): void; passes(error: unknown): boolean },
): Promise<Result> {
  for (let runs = 1; ; runs++)
    try {
      return await work()
    } catch (error) {
      failed(error)
      if (runs >= maxRuns || !passes(error)) throw error
    }
}

/** Opens no connection yet. Throws an Error for an invalid URL. */
export function openDatabase({
  url,
  schema,
  connections,
  failed = () => {},
  timeoutMs = defaultTimeoutMs,
}: PostgresOptions): Database {
  const pool = openPool({ url, schema, connections, timeoutMs })
  const run = createRun()
  return {
    schema,
    sql: ((text, values = []) =>
      repeated(() => withClient(pool, (client) => commitOne(client, text, values, run)), {
        failed,
        passes: isStale,
      })) as Sql,
    transaction: (work) =>
      repeated(() => withClient(pool, (client) => transactionOnce(client, work, run)), {
        failed,
        passes: (error) => isRepeatable(error) || isStale(error),
      }),
    listen: (channel, callbacks) => listen(pool, `${schema}_${channel}`, callbacks),
    connections: pool.counts,
    close: pool.close,
  }
}

/** Runs one statement, which commits by itself. */
async function commitOne(
  client: pg.ClientBase,
  text: string,
  values: readonly SqlValue[],
  run: Run,
): Promise<QueryRow[]> {
  try {
    return await withReplication(client, () => run(client, text, values))
  } catch (error) {
    // A statement that was sent may have been committed.
    if (error instanceof DatabaseAway && !/^\s*SELECT/i.test(text))
      throw new CommitUnknown(error.message, { cause: error })
    throw error
  }
}
