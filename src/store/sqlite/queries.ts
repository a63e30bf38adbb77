import { Fault } from '#contract/fault.ts'
import type { Issue } from '#contract/schema.ts'
import type { JournalQueries } from '#store/journalQueries.ts'
import { createJournalReads, type JournalReads } from '#store/sql/journalReads.ts'
import { type Read, runRead } from '#store/sql/read.ts'
import { readChannelFigures } from './channelFigures.ts'
import { findDeliveries } from './deliverySearch.ts'
import { sqliteDialect } from './dialect.ts'
import { findEvents } from './eventSearch.ts'
import { readFunnel } from './funnel.ts'
import { readChanges } from './readChanges.ts'
import type { SqlReader } from './sqlReader.ts'

type OwnName = Exclude<keyof JournalQueries, keyof JournalReads>
type QueryAnswers = {
  [Name in OwnName]: (...args: Parameters<JournalQueries[Name]>) => Awaited<ReturnType<JournalQueries[Name]>>
}

/** The queries with statements of this database only, on a connection. */
const createAnswers = (read: SqlReader): QueryAnswers => ({
  deliveries: (tagId, filter, page) => findDeliveries(read, tagId, filter, page),
  events: (tagId, filter, page) => findEvents(read, tagId, filter, page),
  channels: (tagId, scriptIds) => readChannelFigures(read, tagId, scriptIds),
  funnel: (tagId, request) => readFunnel(read, tagId, request),
  watch: (tagId, request) => readChanges(read, tagId, request),
})

const reads = createJournalReads(sqliteDialect) as Record<string, (...args: readonly unknown[]) => Read<unknown>>

export type QueryAsk = { name: keyof JournalQueries; args: readonly unknown[] }
/** Issues, such as a malformed cursor, are values, because an error would lose them between threads. */
export type QueryAnswer = { value: unknown } | { issues: readonly Issue[] }

/** The handler of queries in a query thread. */
export function createQueryAnswerer(read: SqlReader): (ask: QueryAsk) => QueryAnswer {
  const answers = createAnswers(read) as Record<string, (...args: readonly unknown[]) => unknown>
  return ({ name, args }) => {
    try {
      return { value: name in reads ? runRead(reads[name]!(...args), read) : answers[name]!(...args) }
    } catch (problem) {
      const issues = problem instanceof Fault ? problem.attributes?.issues : undefined
      if (!issues) throw problem
      return { issues: issues as readonly Issue[] }
    }
  }
}
