import type { Writer } from '#kit/writer.ts'
import { recoveryDelay } from '#store/sql/recoveryDelay.ts'
import { withoutNulls } from '#store/sql/rowMappings.ts'
import type { Journal, JournalEvent } from '#store/store.ts'
import { createPauseQueries } from './channelPauses.ts'
import { createDeliveryQueries } from './deliveryQueries.ts'
import { nameUnreadableStatements, planStatements, requeueStatements, settleStatements } from './deliveryStatements.ts'
import { createDueQueries } from './dueDeliveries.ts'
import { listEventsOfUser, readEvent, selectEventsOfTag } from './eventLists.ts'
import { readEventRef, releaseStatements, selectHeldOfUser, selectOverdueHolds } from './heldEvents.ts'
import type { PlannedDeliveries } from './plannedDeliveries.ts'
import type { SqlReader, SqlRow } from './sqlReader.ts'

/** Makes the deliveries due that were in flight when a process ended, and counts the crash. */
const recoverInFlight = `
  UPDATE delivery SET next_at = ?1 + ${recoveryDelay}, under_way = 0, spoilt = spoilt + 1
  WHERE status = 'pending' AND under_way = 1`

const markInFlight = `UPDATE delivery SET attempts = attempts + 1, under_way = 1, next_at = ? WHERE id = ? AND status = 'pending'`

/** The deliveries of an event, those without a row included. */
const selectDeliveries = `
  SELECT delivery.script, delivery.id, ref.id AS script_id, provider, status, delivery.reason, pause.reason AS paused_for,
    at, next_at, (SELECT id FROM replay WHERE no = delivery.replay) AS replay_id
  FROM delivery JOIN ref ON ref.no = delivery.script
    LEFT JOIN channel_pause AS pause ON pause.script = delivery.script AND delivery.status = 'pending'
  WHERE position = ?1 AND idx = ?2
  UNION ALL
  SELECT ref.no, each.value ->> 0, ref.id, each.value ->> 2, 'pending', NULL, pause.reason, event.received_at, event.received_at, NULL
  FROM planned JOIN event USING (tag, position, idx) CROSS JOIN json_each(planned.deliveries) AS each
    JOIN ref ON ref.id = each.value ->> 1 LEFT JOIN channel_pause AS pause ON pause.script = ref.no
  WHERE planned.position = ?1 AND planned.idx = ?2
    AND NOT EXISTS (SELECT 1 FROM delivery WHERE position = ?1 AND idx = ?2 AND delivery.script = ref.no)
  ORDER BY 1`
const selectExists = 'SELECT 1 FROM delivery WHERE id = ?'
const selectAttempts = `
  SELECT delivery.id, attempt.* FROM attempt JOIN delivery ON delivery.no = attempt.delivery
  WHERE delivery.position = ? AND delivery.idx = ? ORDER BY attempt.number`

type JournalDelivery = JournalEvent['deliveries'][number]
type JournalAttempt = JournalDelivery['attempts'][number]

const readAttempt = (row: SqlRow) =>
  withoutNulls<Omit<JournalAttempt, 'exchanges' | 'packed' | 'issues'>>({
    deliveryId: row.id,
    number: row.number,
    at: row.at,
    durationMs: row.duration_ms,
    httpStatus: row.http_status,
    message: row.message,
    joined: row.joined,
    bodies: row.bodies === null ? null : { no: row.bodies, part: row.part },
  })

const readDelivery = (row: SqlRow, attempts: JournalAttempt[]) =>
  withoutNulls<JournalDelivery>({
    deliveryId: row.id,
    scriptId: row.script_id,
    providerId: row.provider,
    status: row.status,
    reason: row.reason ?? row.paused_for,
    at: row.at,
    nextAt: row.next_at,
    replayId: row.replay_id,
    attempts: attempts.filter(({ deliveryId }) => deliveryId === row.id),
  })

export const createJournal = (read: SqlReader, writer: Writer, planned: PlannedDeliveries): Journal => ({
  plan(events) {
    planned.add(events)
    return writer.write(planStatements(events))
  },
  ...createDueQueries(read, planned),
  ...createDeliveryQueries(read, writer, planned),
  ...createPauseQueries(read, writer),
  async markInFlight(deliveries) {
    const hasRow = ({ deliveryId }: { deliveryId: string }) => read.one(selectExists, deliveryId) !== undefined
    if (planned.hasAny() && !deliveries.every(hasRow)) await planned.storeAll()
    await writer.write([
      { sql: markInFlight, rows: deliveries.map(({ deliveryId, untilMs }) => [untilMs, deliveryId]) },
    ])
  },
  recoverInFlight: (nowMs) => planned.recover([{ sql: recoverInFlight, rows: [[nowMs]] }]),
  async settle(outcomes, packs) {
    if (outcomes.some(({ delivery }) => !delivery)) await planned.storeAll()
    await writer.write(settleStatements(outcomes, packs))
  },
  async event(tagId, position, index) {
    const row = read.one(`${selectEventsOfTag} AND position = ? AND idx = ?`, tagId, position, index)
    if (!row) return undefined
    const journalAttempts = read.all(selectAttempts, position, index).map(readAttempt)
    const rows = read.all(selectDeliveries, position, index)
    return { ...readEvent(tagId)(row), deliveries: rows.map((each) => readDelivery(each, journalAttempts)) }
  },
  eventsOf: async (tagId, userId, page) => listEventsOfUser(read, tagId, userId, page),
  heldEvents: async (tagId, userId) => read.all(selectHeldOfUser, tagId, userId).map(readEventRef),
  overdueHolds: async (nowMs, limit) => read.all(selectOverdueHolds, nowMs, limit).map(readEventRef),
  release: (events) => writer.write(releaseStatements(events)),
  async replay(deliveries) {
    await planned.storeAll()
    await writer.write(requeueStatements(deliveries))
  },
  nameUnreadable: (events) => writer.write(nameUnreadableStatements(events)),
  async pendingCount() {
    await planned.storeAll()
    return Number(read.one(`SELECT count(*) AS count FROM delivery WHERE status = 'pending'`)?.count)
  },
})
