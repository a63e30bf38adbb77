import type { DeliveryQueries } from '#store/deliveryQueries.ts'
import { packRef, readEventRef, readJoin } from '#store/sql/deliveryRows.ts'
import { readRepeats } from '#store/sql/intakeReads.ts'
import { runRead } from '#store/sql/read.ts'
import { withoutNulls } from '#store/sql/rowMappings.ts'
import type { EventRef } from '#store/store.ts'
import { sqliteDialect } from './dialect.ts'
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

export const createDeliveryQueries = (read: SqlReader, writer: JournalWriter): DeliveryQueries => ({
  repeats: async (tagId, keys) => runRead(repeats(tagId, keys), read),
  async newestEvent(tagId) {
    await writer.fold()
    return newestOf(read, tagId)
  },
  async exchangePack(no) {
    const row = read.one(selectPack, no)
    return row && withoutNulls<{ tagId: string; sealed: Uint8Array }>({ tagId: row.tag_id, sealed: row.sealed })
  },
  async joins(tagId, userId, limit) {
    await writer.fold()
    return read.all(joins, userId, tagId, limit).map(readJoin)
  },
  async exchangePackRefs(events) {
    await writer.fold()
    return events.flatMap(({ position, index }) => read.all(selectPackRefs, position, index).map(packRef.read))
  },
  replaceExchangePack: (no, sealed) =>
    writer.write([{ sql: 'UPDATE bodies SET sealed = ? WHERE no = ?', rows: [[sealed, no]] }]),
  async neededPositions(from, to) {
    await writer.fold()
    return read.all(selectNeeded, from, to).map(({ position }) => Number(position))
  },
  ...createRetention(read, writer),
})
