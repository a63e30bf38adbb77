import { createPauseQueries } from '#store/sql/channelPauses.ts'
import { readAttempt, readDelivery, readEventRef, readEventRow } from '#store/sql/deliveryRows.ts'
import { recoveryDelay } from '#store/sql/recoveryDelay.ts'
import type { Journal } from '#store/store.ts'
import { createDeliveryQueries } from './deliveryQueries.ts'
import { nameUnreadableStatements, requeueStatements } from './deliveryStatements.ts'
import { sqliteDialect } from './dialect.ts'
import { createDueQueries } from './dueDeliveries.ts'
import { foldedFirst } from './fold/foldedFirst.ts'
import type { JournalRecord } from './fold/journalRecords.ts'
import { foldAfterMs, type JournalWriter } from './fold/journalWriter.ts'
import { releaseStatements, selectHeldOfUser, selectOverdueHolds } from './heldEvents.ts'
import { addRefs, selectId, selectRef } from './refs.ts'
import type { SqlReader } from './sqlReader.ts'

/** Makes deliveries due that were in flight when a process ended, and counts the crash. */
const recoverInFlight = `
  UPDATE delivery SET next_at = ?1 + ${recoveryDelay}, under_way = 0, crash_count = crash_count + 1
  WHERE status = 'pending' AND under_way = 1`

const selectEvent = `SELECT * FROM event WHERE tag = ${selectRef} AND position = ? AND idx = ?`

/** The deliveries of an event. */
const selectDeliveries = `
  SELECT ${selectId} AS id, script.id AS script_id, provider.id AS provider, status, delivery.reason,
    pause.reason AS paused_for, at, next_at, (SELECT id FROM replay WHERE no = delivery.replay) AS replay_id
  FROM delivery JOIN event USING (tag, position, idx) JOIN ref AS script ON script.no = delivery.script
    JOIN ref AS provider ON provider.no = delivery.provider
    LEFT JOIN channel_pause AS pause ON pause.script = delivery.script AND delivery.status = 'pending'
  WHERE delivery.position = ?1 AND delivery.idx = ?2
  ORDER BY delivery.script`
const selectAttempts = `
  SELECT ${selectId} AS delivery_id, attempt.* FROM every_attempt AS attempt
    JOIN delivery USING (position, idx, script) JOIN event USING (tag, position, idx)
    JOIN ref AS script ON script.no = delivery.script
  WHERE delivery.position = ? AND delivery.idx = ? ORDER BY attempt.number`

export function createJournal(read: SqlReader, writer: JournalWriter): Journal {
  const record = async (each: JournalRecord) => void (await writer.record(each))
  const folded = foldedFirst(writer)
  const foldHolds = async () => (writer.unfolded.hasHold() ? writer.fold() : undefined)
  return {
    isLogged: true,
    plan: (events) => record({ plan: events }),
    ...createDueQueries(read, writer),
    ...createDeliveryQueries(read, writer),
    ...createPauseQueries(sqliteDialect, read, (each, ids) => writer.write([addRefs(ids), each])),
    markInFlight: (deliveries) => record({ begin: deliveries }),
    recoverInFlight: (nowMs) => writer.write([{ sql: recoverInFlight, rows: [[nowMs]] }]),
    settle: (outcomes, packs = []) => record({ settle: outcomes, packs }),
    event: folded(async (tagId, position, index) => {
      const row = read.one(selectEvent, tagId, position, index)
      if (!row) return undefined
      const journalAttempts = read.all(selectAttempts, position, index).map(readAttempt)
      const rows = read.all(selectDeliveries, position, index)
      return { ...readEventRow(row, tagId), deliveries: rows.map((each) => readDelivery(each, journalAttempts)) }
    }),
    async heldEvents(tagId, userId) {
      await foldHolds()
      return read.all(selectHeldOfUser, tagId, userId).map((row) => readEventRef(row))
    },
    async overdueHolds(nowMs, limit) {
      await foldHolds()
      return read.all(selectOverdueHolds, nowMs, limit).map((row) => readEventRef(row))
    },
    release: (events) => writer.write(releaseStatements(events)),
    replay: (deliveries) => writer.write(requeueStatements(deliveries)),
    nameUnreadable: (events) => writer.write(nameUnreadableStatements(events)),
    async pendingCount(maxAgeMs = 0) {
      if (maxAgeMs < foldAfterMs) await writer.fold()
      return Number(read.one(`SELECT count(*) AS count FROM delivery WHERE status = 'pending'`)?.count)
    },
  }
}
