import { slotOf } from '#cluster/slotOf.ts'
import type { Database, Sql } from '#postgres/database.ts'
import type { Ownership } from '#postgres/ownership.ts'
import type { Journal } from '#store/store.ts'
import { deletePause, readPauses, writePause } from './channelPauses.ts'
import { createDeliveryQueries } from './deliveryQueries.ts'
import { createDueQueries } from './dueDeliveries.ts'
import { listEventsOfUser, readJournalEvent } from './eventLists.ts'
import { readHeldEvents, readOverdueHolds, releaseEvents } from './heldEvents.ts'
import { markStarted, recoverSlots } from './inFlight.ts'
import { ownerWrite } from './ownerWrite.ts'
import { allSlots, storePlanned, trackPlanned } from './plannedDeliveries.ts'
import { insertPlan } from './planStatements.ts'
import { requeue } from './requeueStatements.ts'
import { writeOutcomes } from './settleStatements.ts'
import { nameUnreadableEvents } from './unreadableEvents.ts'

/**
 * The journal of one schema. With an ownership it reads what waits in the slots of that worker, and every write throws
 * OwnershipLost after the worker's lease has ended. A write may be repeated after a CommitUnknown.
 */
export function createJournal(database: Database, ownership?: Ownership): Journal {
  const { sql } = database
  const planned = trackPlanned(database, ownership)
  const slots = () => ownership?.slots() ?? allSlots
  const write = <Result>(work: (sql: Sql) => Promise<Result>) => ownerWrite(database, ownership, work)
  return {
    ...createDeliveryQueries(database),
    ...createDueQueries(database, ownership, planned),
    async plan(events) {
      try {
        await write((each) => insertPlan(each, events))
      } finally {
        planned.add(events)
      }
    },
    markInFlight: (deliveries) => write((each) => markStarted(each, deliveries, slots())),
    recoverInFlight: (nowMs, ofSlots = slots()) => write((each) => recoverSlots(each, nowMs, ofSlots)),
    settle: (outcomes, packs) =>
      write(async (each) => {
        if (outcomes.some(({ delivery }) => !delivery)) await storePlanned(each, slots())
        await writeOutcomes(each, outcomes, packs)
      }),
    event: (tagId, position, index) => readJournalEvent(sql, tagId, position, index),
    eventsOf: (tagId, userId, page) => listEventsOfUser(sql, tagId, userId, page),
    heldEvents: (tagId, waitsFor) => readHeldEvents(sql, tagId, waitsFor),
    overdueHolds: (nowMs, limit) => readOverdueHolds(sql, slots(), nowMs, limit),
    release: (events) => write((each) => releaseEvents(each, events)),
    replay: (deliveries) =>
      write(async (each) => {
        await storePlanned(each, [...new Set(deliveries.map(({ tagId }) => slotOf(tagId)))])
        await requeue(each, deliveries)
      }),
    nameUnreadable: (events) => write((each) => nameUnreadableEvents(each, events)),
    pauses: (scriptIds) => readPauses(sql, scriptIds),
    pause: (pause) => write((each) => writePause(each, pause)),
    resume: (scriptId) => write((each) => deletePause(each, scriptId)),
  }
}
