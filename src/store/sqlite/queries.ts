import type { DeliveryStatus } from '#contract/deliveryStatus.ts'
import { Fault } from '#contract/fault.ts'
import type { Issue } from '#contract/schema.ts'
import type { JournalQueries } from '#store/journalQueries.ts'
import { createOrderReads, runRead } from '#store/sql/orderQueries.ts'
import { readChannelFigures } from './channelFigures.ts'
import { findDeliveries } from './deliverySearch.ts'
import { sqliteDialect } from './dialect.ts'
import { listEventsOfUser } from './eventLists.ts'
import { findEvents } from './eventSearch.ts'
import { readFunnel } from './funnel.ts'
import { readIntake } from './intakeTables.ts'
import { readStats } from './journalCounts.ts'
import { readMatches } from './matchTables.ts'
import { readChanges } from './readChanges.ts'
import type { SqlReader } from './sqlReader.ts'
import { readTeamCounts } from './teamCounts.ts'

const selectStatusCounts = `
  SELECT ref.id AS script, status, count FROM (
    SELECT script, status, count(*) AS count FROM delivery
    WHERE replay = (SELECT no FROM replay WHERE id = ?) GROUP BY status, script
  ) JOIN ref ON ref.no = script`

function readStatusCounts(read: SqlReader, replayId: string): Record<string, Partial<Record<DeliveryStatus, number>>> {
  const counts: Record<string, Partial<Record<DeliveryStatus, number>>> = {}
  for (const { script, status, count } of read.all(selectStatusCounts, replayId))
    counts[String(script)] = { ...counts[String(script)], [String(status)]: Number(count) }
  return counts
}

const orderReads = createOrderReads(sqliteDialect)

type QueryAnswers = {
  [Name in keyof JournalQueries]: (
    ...args: Parameters<JournalQueries[Name]>
  ) => Awaited<ReturnType<JournalQueries[Name]>>
}

/** The implementations of the queries on a connection. */
const createAnswers = (read: SqlReader): QueryAnswers => ({
  stats: (tagId, request) => readStats(read, tagId, request),
  deliveries: (tagId, filter, page) => findDeliveries(read, tagId, filter, page),
  events: (tagId, filter, page) => findEvents(read, tagId, filter, page),
  channels: (tagId, scriptIds) => readChannelFigures(read, tagId, scriptIds),
  funnel: (tagId, request) => readFunnel(read, tagId, request),
  teamCounts: (tagIds, request) => readTeamCounts(read, tagIds, request),
  intake: (tagId, request) => readIntake(read, tagId, request),
  matches: (tagId, request) => readMatches(read, tagId, request),
  eventsOf: (tagId, userId, page) => listEventsOfUser(read, tagId, userId, page),
  watch: (tagId, request) => readChanges(read, tagId, request),
  replayed: (_tagId, replayIds) => replayIds.map((replayId) => readStatusCounts(read, replayId)),
  orderGroups: (tagId, range) => runRead(orderReads.orderGroups(tagId, range), read),
  orders: (tagId, filter, page) => runRead(orderReads.orders(tagId, filter, page), read),
  ordersById: (tagId, ids) => runRead(orderReads.ordersById(tagId, ids), read),
  unknownOrders: (tagId, range) => runRead(orderReads.unknownOrders(tagId, range), read),
})

export type QueryAsk = { name: keyof JournalQueries; args: readonly unknown[] }
/** Issues, such as a malformed cursor, are values, because an error would lose them between threads. */
export type QueryAnswer = { value: unknown } | { issues: readonly Issue[] }

/** The handler of queries in a query thread. */
export function createQueryAnswerer(read: SqlReader): (ask: QueryAsk) => QueryAnswer {
  const answers = createAnswers(read) as Record<keyof JournalQueries, (...args: readonly unknown[]) => unknown>
  return ({ name, args }) => {
    try {
      return { value: answers[name](...args) }
    } catch (problem) {
      const issues = problem instanceof Fault ? problem.attributes?.issues : undefined
      if (!issues) throw problem
      return { issues: issues as readonly Issue[] }
    }
  }
}
