import type { DeliveryQueries } from '#store/deliveryQueries.ts'
import { createLookups } from '#store/sql/lookups.ts'
import { runRead } from '#store/sql/read.ts'
import { sqliteDialect } from './dialect.ts'
import { foldedFirst } from './fold/foldedFirst.ts'
import type { JournalWriter } from './fold/journalWriter.ts'
import { createRetention } from './retention.ts'
import type { SqlReader } from './sqlReader.ts'

const lookups = createLookups(sqliteDialect)

export function createDeliveryQueries(read: SqlReader, writer: JournalWriter): DeliveryQueries {
  const folded = foldedFirst(writer)
  return {
    repeats: async (...args) => runRead(lookups.repeats(...args), read),
    newestEvent: folded(async (tagId) => runRead(lookups.newestEvent(tagId), read)),
    exchangePack: async (no) => runRead(lookups.exchangePack(no), read),
    joins: folded(async (...args) => runRead(lookups.joins(...args), read)),
    exchangePackRefs: folded(async (events) => runRead(lookups.exchangePackRefs(events), read)),
    replaceExchangePack: (no, sealed) =>
      writer.write([{ sql: 'UPDATE bodies SET sealed = ? WHERE no = ?', rows: [[sealed, no]] }]),
    neededPositions: folded(async (...args) => runRead(lookups.neededPositions(...args), read)),
    ...createRetention(read, writer),
  }
}
