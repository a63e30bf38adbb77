import { slotsOfTag } from '#cluster/postgres/spread.ts'
import { allSlots, slotOf } from '#cluster/slotOf.ts'
import type { Database, Sql } from '#postgres/database.ts'
import { isDuplicate } from '#postgres/databaseError.ts'
import type { Ownership } from '#postgres/ownership.ts'
import { repeatUnknown } from '#postgres/repeatWhileAway.ts'
import { createPauseQueries } from '#store/sql/channelPauses.ts'
import { readAttempt, readDelivery, readEventRow } from '#store/sql/deliveryRows.ts'
import { createLookups } from '#store/sql/lookups.ts'
import { awaitRead, queriesOf } from '#store/sql/read.ts'
import type { Journal, JournalEvent } from '#store/store.ts'
import { postgresDialect } from './dialect.ts'
import { createDueQueries } from './dueDeliveries.ts'
import { readHeldEvents, readOverdueHolds, releaseEvents } from './heldEvents.ts'
import { ownerWrite } from './ownerWrite.ts'
import { storePlanned, storePlannedOf, trackPlanned } from './plannedDeliveries.ts'
import { insertPlan } from './planStatements.ts'
import { insertMissing, markStarted, recoverRowsOf, requeue } from './requeueStatements.ts'
import { createRetention } from './retention.ts'
import { writeOutcomes } from './settleStatements.ts'
import { createReads, runStatement } from './statements.ts'
import { nameUnreadableEvents } from './unreadableEvents.ts'

const selectEvent = 'SELECT * FROM event WHERE tag = $1 AND position = $2 AND idx = $3'

/** The deliveries of an event, including those without a row. */
const selectDeliveries = `
  WITH listed AS (
    SELECT id, script AS script_id, provider, status, reason, at, next_at, replay AS replay_id
    FROM delivery WHERE position = $2 AND idx = $3
    UNION ALL
    SELECT each.value ->> 0, each.value ->> 1, each.value ->> 2, 'pending', NULL, event.received_at, event.received_at, NULL
    FROM planned JOIN event USING (tag, position, idx) CROSS JOIN LATERAL json_array_elements(planned.deliveries::json) AS each
    WHERE planned.slot = ANY(${slotsOfTag('$4', '$1')}) AND planned.position = $2 AND planned.idx = $3 AND NOT EXISTS (
      SELECT 1 FROM delivery WHERE position = $2 AND idx = $3 AND delivery.script = each.value ->> 1)
  )
  SELECT listed.*, pause.reason AS paused_for FROM listed
    LEFT JOIN channel_pause AS pause ON pause.script = listed.script_id AND listed.status = 'pending'
  ORDER BY listed.script_id`
const selectAttempts =
  'SELECT every_attempt.*, delivery AS delivery_id FROM every_attempt WHERE delivery = ANY($1) ORDER BY number'

/** An event with its deliveries and their attempts. */
async function readJournalEvent(
  sql: Sql,
  tagId: string,
  position: number,
  index: number,
): Promise<JournalEvent | undefined> {
  const [row] = await sql(selectEvent, [tagId, position, index])
  if (!row) return undefined
  const rows = await sql(selectDeliveries, [slotOf(tagId), position, index, tagId])
  const attempts = await sql(selectAttempts, [rows.map(({ id }) => String(id))])
  const journalAttempts = attempts.map(readAttempt)
  return { ...readEventRow(row, tagId), deliveries: rows.map((each) => readDelivery(each, journalAttempts)) }
}

const lookups = createLookups(postgresDialect)

/**
 * The journal of one schema. With an ownership it reads what waits in the slots of that worker, and every write throws
 * OwnershipLost after the worker's lease has ended. A write may be repeated after a CommitUnknown. A transaction writes
 * each delivery row once, in the order of places: otherwise two transactions could deadlock.
 */
export function createJournal(database: Database, ownership?: Ownership): Journal {
  const { sql } = database
  const reads = createReads(sql)
  const found = queriesOf(lookups, (read) => awaitRead(read, reads))
  const planned = trackPlanned(database, ownership)
  const slots = () => ownership?.slots() ?? allSlots
  const write = <Result>(work: (sql: Sql) => Promise<Result>) => ownerWrite(database, ownership, work)
  return {
    ...found,
    ...createRetention(database),
    ...createDueQueries(database, ownership, planned),
    async plan(events) {
      try {
        await write((each) => insertPlan(each, events))
      } finally {
        planned.add(events)
      }
    },
    async markInFlight(deliveries) {
      const missing = await write((each) => markStarted(each, deliveries))
      if (missing.length === 0) return
      await write((each) => storePlanned(each, slots()))
      await write((each) => markStarted(each, missing))
    },
    async recoverInFlight(nowMs, ofSlots = slots()) {
      await write((each) => recoverRowsOf(each, nowMs, ofSlots))
      await write((each) => storePlanned(each, ofSlots, 1))
    },
    async settle(outcomes, packs) {
      if (outcomes.some(({ delivery }) => !delivery)) await write((each) => storePlanned(each, slots()))
      const writeAll = (mayInsert: boolean) => write((each) => writeOutcomes(each, outcomes, packs, mayInsert))
      await writeAll(true).catch((error) => {
        if (!isDuplicate(error)) throw error
        return writeAll(false)
      })
    },
    event: (tagId, position, index) => readJournalEvent(sql, tagId, position, index),
    async neededPositions(...args) {
      await repeatUnknown(() => storePlanned(sql))
      return found.neededPositions(...args)
    },
    async replaceExchangePack(no, sealed) {
      await repeatUnknown(() => sql('UPDATE bodies SET sealed = $1 WHERE no = $2', [sealed, no]))
    },
    heldEvents: (tagId, waitsFor) => readHeldEvents(sql, tagId, waitsFor),
    overdueHolds: (nowMs, limit) => readOverdueHolds(sql, slots(), nowMs, limit),
    release: (events) => write((each) => releaseEvents(each, events, slots())),
    async replay(deliveries) {
      for (const tagId of new Set(deliveries.map((each) => each.tagId)))
        await write((each) => storePlannedOf(each, tagId))
      await write((each) => insertMissing(each, deliveries))
      await write((each) => requeue(each, deliveries, slots()))
    },
    nameUnreadable: (events) => write((each) => nameUnreadableEvents(each, events)),
    ...createPauseQueries(postgresDialect, reads, (each) => write((own) => runStatement(own, each))),
  }
}
