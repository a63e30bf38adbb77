import type { DeliveryQueries } from '#store/deliveryQueries.ts'
import type { Journal } from '#store/journal.ts'
import { createLookups } from '#store/sql/lookups.ts'
import { queriesOf, runRead } from '#store/sql/read.ts'
import { createDropExpired, findExpiredEvents, type RetentionStep } from '#store/sql/retention.ts'
import { sqliteDialect } from './dialect.ts'
import { foldedFirst } from './fold/foldedFirst.ts'
import type { JournalWriter } from './fold/journalWriter.ts'
import type { SqlReader } from './sqlReader.ts'

/** False for an event of which a delivery has become pending again meanwhile: it is kept. */
const isDone = `NOT EXISTS (
    SELECT 1 FROM delivery WHERE delivery.position = ?1 AND delivery.idx = ?2 AND status IN ('pending', 'held'))`
const dropPlaces = ['attempt', 'delivery', 'purchase'].map(
  (table) => `DELETE FROM ${table} WHERE position = ?1 AND idx = ?2 AND ${isDone}`,
)
const dropEvent = `DELETE FROM event WHERE position = ?1 AND idx = ?2 AND tag = ?3 AND ${isDone}`

const findExpired = findExpiredEvents(sqliteDialect)

/** Drops the events of a tag with their deliveries and attempts. */
const dropEvents: RetentionStep = async (...args) => {
  const { expired, next } = await findExpired(...args)
  const rows = expired.map(({ tag, position, idx }) => [Number(position), Number(idx), Number(tag)])
  const statements = [
    ...dropPlaces.map((sql) => ({ sql, rows: rows.map((row) => row.slice(0, 2)) })),
    { sql: dropEvent, rows },
  ]
  return { statements: rows.length > 0 ? statements : [], dropped: rows.length, next }
}

function createRetention(
  reads: SqlReader,
  writer: JournalWriter,
): Pick<DeliveryQueries, 'dropExpired' | 'nextKeptTag'> {
  return {
    dropExpired: createDropExpired(sqliteDialect, { reads, write: writer.write, dropEvents }),
    async nextKeptTag(after) {
      if (after === '') await writer.fold()
      const next = reads.one(nextTag, after)?.tag
      return next === null || next === undefined ? undefined : String(next)
    },
  }
}

// Scripts have numbers too, but no script id begins like a tag id.
const nextTag = `SELECT min(tag) AS tag FROM (
  SELECT min(id) AS tag FROM ref WHERE id > ?1 AND id >= 'tag_' AND id < 'taga' UNION ALL
  SELECT min(tag) FROM deployment WHERE tag > ?1
)`

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
