import type { DeliveryQueries } from '#store/deliveryQueries.ts'
import type { Journal } from '#store/journal.ts'
import { createLookups } from '#store/sql/lookups.ts'
import { queriesOf, runRead } from '#store/sql/read.ts'
import { sqliteDialect } from './dialect.ts'
import { foldedFirst } from './fold/foldedFirst.ts'
import type { JournalWriter } from './fold/journalWriter.ts'
import { createRetention } from './retention.ts'
import type { SqlReader } from './sqlReader.ts'

const lookups = createLookups(sqliteDialect)

export function createDeliveryQueries(
  read: SqlReader,
  writer: JournalWriter,
): DeliveryQueries & Pick<Journal, 'eventsOf' | 'firstEventOf'> {
  const folded = foldedFirst(writer)
  const found = queriesOf(lookups, (each) => runRead(each, read))
  return {
    ...found,
    newestEvent: folded(found.newestEvent),
    joins: folded(found.joins),
    exchangePackRefs: folded(found.exchangePackRefs),
    eventsOf: folded(found.eventsOf),
    async firstEventOf(tagId, userId) {
      if (writer.unfolded.hasUser(userId)) await writer.fold()
      return found.firstEventOf(tagId, userId)
    },
    replaceExchangePack: (no, sealed) =>
      writer.write([{ sql: 'UPDATE bodies SET sealed = ? WHERE no = ?', rows: [[sealed, no]] }]),
    neededPositions: folded(found.neededPositions),
    ...createRetention(read, writer),
  }
}
