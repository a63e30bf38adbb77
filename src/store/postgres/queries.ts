import { performance } from 'node:perf_hooks'
import { openQueryPool, poolClosed, QueryRefused, type QuerySlot } from '#kit/queryPool.ts'
import type { Database, Sql } from '#postgres/database.ts'
import { DatabaseError } from '#postgres/databaseError.ts'
import { type JournalQueries, type QueryLimits, queryNames } from '#store/journalQueries.ts'
import { createJournalReads } from '#store/sql/journalReads.ts'
import { awaitRead, type Read } from '#store/sql/read.ts'
import { postgresDialect } from './dialect.ts'
import { storePlannedOf } from './plannedDeliveries.ts'
import { readNewEvents } from './readChanges.ts'
import { createReads } from './statements.ts'

/** The reads of a query. `prepare` writes pending rows first; if it fails, the query reads the existing rows. */
export type DatabaseQuery = { prepare?(sql: Sql): Promise<void>; read(sql: Sql): Promise<unknown> }

/** Only for reads: a cancelled commit could be answered as a success. */
const setLimits = `SELECT set_config('transaction_read_only', 'on', true), set_config('statement_timeout', $1, true)`
const queryCanceled = '57014'

const isTimeout = (error: unknown) => error instanceof DatabaseError && error.code === queryCanceled

/**
 * Runs one query at a time, in a read-only transaction. A query that has run for `limitMs` is refused: the server
 * cancels its statement, and no further one is sent. The statement timeout of `database` must be above `limitMs`.
 */
export function openQueryConnection(database: Database, limitMs: number): QuerySlot<DatabaseQuery, unknown> {
  let rejectRunning: ((why: Error) => void) | undefined
  let isClosed = false

  async function runQuery({ prepare, read }: DatabaseQuery, endMs: number): Promise<unknown> {
    if (prepare) await database.transaction(prepare).catch(() => {})
    return database.transaction(async (sql) => {
      await sql(setLimits, [String(limitMs)])
      return read(((text, values) => {
        if (isClosed) throw poolClosed()
        if (performance.now() >= endMs) throw new QueryRefused('tooSlow', limitMs)
        return sql(text, values)
      }) as Sql)
    })
  }
  return {
    async run({ ask, resolve, reject }) {
      rejectRunning = reject
      const refuse = () => reject(new QueryRefused('tooSlow', limitMs))
      const timer = setTimeout(refuse, limitMs)
      try {
        resolve(await runQuery(ask, performance.now() + limitMs))
      } catch (error) {
        if (isTimeout(error)) refuse()
        else reject(error as Error)
      } finally {
        clearTimeout(timer)
        rejectRunning = undefined
      }
    },
    async release() {},
    async close() {
      isClosed = true
      rejectRunning?.(poolClosed())
    },
  }
}

/** A team never uses both connections at once. */
export const queryConnections = 2
const idleMs = 60_000

const reads = createJournalReads(postgresDialect, readNewEvents) as Record<
  string,
  (...args: readonly unknown[]) => Read<unknown>
>
/** The pending deliveries that these queries read must have rows. */
const ofDeliveries: readonly (keyof JournalQueries)[] = [
  ...(['deliveries', 'events', 'channels', 'funnel', 'watch', 'orders', 'ordersById'] as const),
]

/**
 * The slow reads of all teams, scheduled fairly. Nothing else may use `database`, which has `queryConnections`
 * connections and a statement timeout above that of a query.
 */
export function createQueries(database: Database, { perTeam, limitMs }: QueryLimits) {
  const slots = Array.from({ length: queryConnections }, () => openQueryConnection(database, limitMs))
  const pool = openQueryPool<DatabaseQuery, unknown>(slots, { perName: perTeam, waitMs: limitMs, idleMs })

  const queriesOf = (teamId: string): JournalQueries => {
    const askFor =
      (name: keyof JournalQueries) =>
      (...args: readonly unknown[]): Promise<unknown> => {
        const prepare = (sql: Sql) => storePlannedOf(sql, String(args[0]))
        const read = (sql: Sql) => awaitRead(reads[name]!(...args), createReads(sql))
        const query = ofDeliveries.includes(name) ? { prepare, read } : { read }
        return pool.ask(teamId, query, name !== 'watch')
      }
    return Object.fromEntries(queryNames.map((name) => [name, askFor(name)])) as JournalQueries
  }
  return { queriesOf, close: pool.close }
}
