import type { DeliveryQueries } from '#store/deliveryQueries.ts'
import { packRef, readEventRef, readJoin } from '#store/sql/deliveryRows.ts'
import { readRepeats } from '#store/sql/intakeReads.ts'
import { runRead } from '#store/sql/read.ts'
import { withoutNulls } from '#store/sql/rowMappings.ts'
import type { EventRef } from '#store/store.ts'
import { sqliteDialect } from './dialect.ts'
import { foldedFirst } from './fold/foldedFirst.ts'
import type { JournalWriter } from './fold/journalWriter.ts'
import { selectId, selectRef } from './refs.ts'
import { createRetention } from './retention.ts'
import type { SqlReader } from './sqlReader.ts'

const repeats = readRepeats(sqliteDialect)
const selectNewest = `SELECT position, idx FROM event WHERE tag = ${selectRef} ORDER BY position DESC, idx DESC LIMIT 1`
const selectPack = 'SELECT ref.id AS tag_id, sealed FROM bodies JOIN ref ON ref.no = bodies.tag WHERE bodies.no = ?'
const joinDelivery = `JOIN delivery USING (position, idx, script) JOIN event USING (tag, position, idx)
    JOIN ref AS script ON script.no = delivery.script`
const selectPackRefs = `
  SELECT ${selectId} AS id, every_attempt.bodies AS no, every_attempt.part FROM every_attempt ${joinDelivery}
  WHERE delivery.position = ? AND delivery.idx = ? AND every_attempt.bodies IS NOT NULL`
const joins = `
  SELECT ${selectId} AS id, attempt.number, attempt.bodies AS no, attempt.part
  FROM attempt INDEXED BY attempt_joined ${joinDelivery}
  WHERE attempt.joined = ? AND delivery.tag = ${selectRef} LIMIT ?`
const selectNeeded = `SELECT DISTINCT position FROM delivery
  WHERE position BETWEEN ? AND ? AND status IN ('pending', 'held', 'dead', 'refused') AND reason IS NOT 'erased'`

export const newestOf = (read: SqlReader, tagId: string): EventRef | undefined =>
  read.all(selectNewest, tagId).map((row) => readEventRef(row, tagId))[0]

export function createDeliveryQueries(read: SqlReader, writer: JournalWriter): DeliveryQueries {
  const folded = foldedFirst(writer)
  const packRefs = ({ position, index }: EventRef) => read.all(selectPackRefs, position, index).map(packRef.read)
  return {
    repeats: async (tagId, keys) => runRead(repeats(tagId, keys), read),
    newestEvent: folded(async (tagId) => newestOf(read, tagId)),
    async exchangePack(no) {
      const row = read.one(selectPack, no)
      return row && withoutNulls<{ tagId: string; sealed: Uint8Array }>({ tagId: row.tag_id, sealed: row.sealed })
    },
    joins: folded(async (tagId, userId, limit) => read.all(joins, userId, tagId, limit).map(readJoin)),
    exchangePackRefs: folded(async (events) => events.flatMap(packRefs)),
    replaceExchangePack: (no, sealed) =>
      writer.write([{ sql: 'UPDATE bodies SET sealed = ? WHERE no = ?', rows: [[sealed, no]] }]),
    neededPositions: folded(async (from, to) =>
      read.all(selectNeeded, from, to).map(({ position }) => Number(position)),
    ),
    ...createRetention(read, writer),
  }
}
