import { allSlots } from '#cluster/slotOf.ts'
import type { Database, Sql } from '#postgres/database.ts'
import { isDuplicate } from '#postgres/databaseError.ts'
import type { Ownership } from '#postgres/ownership.ts'
import { repeatUnknown } from '#postgres/repeatWhileAway.ts'
import { createPauseQueries } from '#store/sql/channelPauses.ts'
import { createLookups } from '#store/sql/lookups.ts'
import { awaitRead, queriesOf } from '#store/sql/read.ts'
import type { Journal } from '#store/store.ts'
import { postgresDialect } from './dialect.ts'
import { createDueQueries } from './dueDeliveries.ts'
import { readHeldEvents, readOverdueHolds, releaseEvents } from './heldEvents.ts'
import { readJournalEvent } from './journalEvent.ts'
import { ownerWrite } from './ownerWrite.ts'
import { storePlanned, storePlannedOf, trackPlanned } from './plannedDeliveries.ts'
import { insertPlan } from './planStatements.ts'
import { insertMissing, markStarted, recoverRowsOf, requeue } from './requeueStatements.ts'
import { createRetention } from './retention.ts'
import { writeOutcomes } from './settleStatements.ts'
import { createReads, runStatement } from './statements.ts'
import { nameUnreadableEvents } from './unreadableEvents.ts'

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
