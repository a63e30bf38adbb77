import { openQueryPool } from '#kit/queryPool.ts'
import type { Database, Sql } from '#postgres/database.ts'
import type { JournalQueries, QueryLimits } from '#store/journalQueries.ts'
import { createJournalReads } from '#store/sql/journalReads.ts'
import { awaitRead, type Read } from '#store/sql/read.ts'
import { readChannelFigures } from './channelFigures.ts'
import { findDeliveries } from './deliverySearch.ts'
import { postgresDialect } from './dialect.ts'
import { findEvents } from './eventSearch.ts'
import { readFunnel } from './funnel.ts'
import { storePlannedOf } from './plannedDeliveries.ts'
import { type DatabaseQuery, openQueryConnection } from './queryConnection.ts'
import { readChanges } from './readChanges.ts'
import { createReads } from './statements.ts'

/** One team never uses both connections at once. */
export const queryConnections = 2
const idleMs = 60_000

const reads = createJournalReads(postgresDialect)

/**
 * The slow reads of all teams, with fair scheduling among them. `database` is used by nothing else: its connections are
 * `queryConnections`, and the time limit of its statements is above that of a query.
 */
export function createQueries(database: Database, { perTeam, limitMs }: QueryLimits) {
  const slots = Array.from({ length: queryConnections }, () => openQueryConnection(database, limitMs))
  const pool = openQueryPool<DatabaseQuery, unknown>(slots, { perName: perTeam, waitMs: limitMs, idleMs })

  const queriesOf = (teamId: string): JournalQueries => {
    const ask = <Result>(query: (sql: Sql) => Promise<Result>, isCounted = true) =>
      pool.ask(teamId, { read: query }, isCounted) as Promise<Result>
    /** Pending deliveries must have their rows. */
    const askDeliveries = <Result>(tagId: string, query: (sql: Sql) => Promise<Result>, isCounted = true) => {
      const prepare = (sql: Sql) => storePlannedOf(sql, tagId)
      return pool.ask(teamId, { prepare, read: query }, isCounted) as Promise<Result>
    }
    const askRead = <Out>(read: () => Read<Out>) => ask((sql) => awaitRead(read(), createReads(sql)))
    return {
      deliveries: (tagId, filter, page) => askDeliveries(tagId, (sql) => findDeliveries(sql, tagId, filter, page)),
      events: (tagId, filter, page) => askDeliveries(tagId, (sql) => findEvents(sql, tagId, filter, page)),
      channels: (tagId, scriptIds) => askDeliveries(tagId, (sql) => readChannelFigures(sql, tagId, scriptIds)),
      funnel: (tagId, request) => askDeliveries(tagId, (sql) => readFunnel(sql, tagId, request)),
      watch: (tagId, request) => askDeliveries(tagId, (sql) => readChanges(sql, tagId, request), false),
      orders: (...args) => askDeliveries(args[0], (sql) => awaitRead(reads.orders(...args), createReads(sql))),
      ordersById: (...args) => askDeliveries(args[0], (sql) => awaitRead(reads.ordersById(...args), createReads(sql))),
      orderGroups: (...args) => askRead(() => reads.orderGroups(...args)),
      unknownOrders: (...args) => askRead(() => reads.unknownOrders(...args)),
      stats: (...args) => askRead(() => reads.stats(...args)),
      eventsOf: (...args) => askRead(() => reads.eventsOf(...args)),
      teamCounts: (...args) => askRead(() => reads.teamCounts(...args)),
      intake: (...args) => askRead(() => reads.intake(...args)),
      matches: (...args) => askRead(() => reads.matches(...args)),
      replayed: (...args) => askRead(() => reads.replayed(...args)),
    }
  }
  return { queriesOf, close: pool.close }
}
