import type { DeliveryStatus } from '#contract/deliveryStatus.ts'
import { openQueryPool } from '#kit/queryPool.ts'
import type { Database, Sql } from '#postgres/database.ts'
import type { JournalQueries, QueryLimits } from '#store/journalQueries.ts'
import { awaitRead, createOrderReads } from '#store/sql/orderQueries.ts'
import { readChannelFigures } from './channelFigures.ts'
import { findDeliveries } from './deliverySearch.ts'
import { postgresDialect } from './dialect.ts'
import { listEventsOfUser } from './eventLists.ts'
import { findEvents } from './eventSearch.ts'
import { readFunnel } from './funnel.ts'
import { readIntake } from './intakeTables.ts'
import { readMatches } from './matchTables.ts'
import { storePlannedOf } from './plannedDeliveries.ts'
import { type DatabaseQuery, openQueryConnection } from './queryConnection.ts'
import { readChanges } from './readChanges.ts'
import { readStats } from './readStats.ts'
import { createReads } from './statements.ts'
import { readTeamCounts } from './teamCounts.ts'

/** One team never uses both connections at once. */
export const queryConnections = 2
const idleMs = 60_000

const selectStatusCounts = `
  SELECT replay, script, status, count(*) AS count FROM delivery WHERE replay = ANY($1::text[]) AND replay IS NOT NULL
  GROUP BY replay, status, script`

const orderReads = createOrderReads(postgresDialect)

type StatusCounts = Record<string, Partial<Record<DeliveryStatus, number>>>

async function readStatusCounts(sql: Sql, replayIds: readonly string[]): Promise<StatusCounts[]> {
  type CountRow = { replay: string; script: string; status: DeliveryStatus; count: number }
  const rows = await sql<CountRow>(selectStatusCounts, [replayIds])
  return replayIds.map((replayId) => {
    const counts: StatusCounts = {}
    for (const { replay, script, status, count } of rows)
      if (replay === replayId) counts[script] = { ...counts[script], [status]: count }
    return counts
  })
}

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
    return {
      stats: (tagId, request) => ask((sql) => readStats(sql, tagId, request)),
      deliveries: (tagId, filter, page) => askDeliveries(tagId, (sql) => findDeliveries(sql, tagId, filter, page)),
      events: (tagId, filter, page) => askDeliveries(tagId, (sql) => findEvents(sql, tagId, filter, page)),
      eventsOf: (tagId, userId, page) => ask((sql) => listEventsOfUser(sql, tagId, userId, page)),
      channels: (tagId, scriptIds) => askDeliveries(tagId, (sql) => readChannelFigures(sql, tagId, scriptIds)),
      funnel: (tagId, request) => askDeliveries(tagId, (sql) => readFunnel(sql, tagId, request)),
      teamCounts: (tagIds, request) => ask((sql) => readTeamCounts(sql, tagIds, request)),
      intake: (tagId, request) => ask((sql) => readIntake(sql, tagId, request)),
      matches: (tagId, request) => ask((sql) => readMatches(sql, tagId, request)),
      watch: (tagId, request) => askDeliveries(tagId, (sql) => readChanges(sql, tagId, request), false),
      replayed: (_tagId, replayIds) => ask((sql) => readStatusCounts(sql, replayIds)),
      orderGroups: (tagId, range) => ask((sql) => awaitRead(orderReads.orderGroups(tagId, range), createReads(sql))),
      orders: (tagId, filter, page) =>
        askDeliveries(tagId, (sql) => awaitRead(orderReads.orders(tagId, filter, page), createReads(sql))),
      ordersById: (tagId, ids) =>
        askDeliveries(tagId, (sql) => awaitRead(orderReads.ordersById(tagId, ids), createReads(sql))),
      unknownOrders: (tagId, range) =>
        ask((sql) => awaitRead(orderReads.unknownOrders(tagId, range), createReads(sql))),
    }
  }
  return { queriesOf, close: pool.close }
}
