import { slotOf } from '#cluster/slotOf.ts'
import type { Sql } from '#postgres/database.ts'
import type { PlannedEvent } from '#store/plannedEvent.ts'
import { arrayRows, toStoredText } from './columns.ts'
import { addDeliveryCounts, addEventCounts, type CountedDeliveries } from './journalCounts.ts'
import { addPurchases } from './orderTables.ts'
import { insertPlannedDeliveries } from './plannedDeliveries.ts'

const minuteMs = 60_000

const planned = arrayRows('planned', {
  ...({
    tag: 'text',
    position: 'int8',
    idx: 'int4',
    slot: 'int4',
    name: 'text',
    user_id: 'text',
    joined: 'text',
  } as const),
  ...({ received_at: 'int8', consent: 'text', place: 'text', order_hash: 'text' } as const),
})
/**
 * In order, so that concurrent plans of the same events wait for each other. An event that exists keeps its first plan.
 */
const insertEvents = `
  INSERT INTO event (${planned.names}) SELECT * FROM ${planned.from} ORDER BY position, idx
  ON CONFLICT (tag, position, idx) DO NOTHING RETURNING position, idx`

const decided = arrayRows('decided', {
  ...({ position: 'int8', idx: 'int4', slot: 'int4', at: 'int8', id: 'text', tag: 'text', script: 'text' } as const),
  ...({ provider: 'text', status: 'text', reason: 'text', name: 'text' } as const),
})
const insertDecided = `
  INSERT INTO delivery (${decided.names}) SELECT * FROM ${decided.from} ORDER BY position, idx, script COLLATE "C"
  ON CONFLICT DO NOTHING`

const held = arrayRows('held', {
  ...({ tag: 'text', position: 'int8', idx: 'int4', slot: 'int4', until: 'int8', user_id: 'text' } as const),
})
const insertHolds = `INSERT INTO held (${held.names}) SELECT * FROM ${held.from} ON CONFLICT DO NOTHING`

const placeKey = (position: number, index: number) => `${position} ${index}`

/** Inserts the events that are not planned yet, and returns them. */
async function insertNew(sql: Sql, events: readonly PlannedEvent[]): Promise<PlannedEvent[]> {
  const rows = events.map((each) => {
    const { tagId, position, index, eventName, userId, emailMatch, receivedAt, consent, place } = each
    const { slot = slotOf(tagId), orderHash = null } = each
    const names = [eventName, userId, emailMatch ?? null]
    const texts = [JSON.stringify(consent), JSON.stringify(place), orderHash]
    return [tagId, position, index, slot, ...names, receivedAt, ...texts]
  })
  const inserted = await sql(insertEvents, planned.params(rows))
  if (inserted.length === events.length) return [...events]
  const places = new Set(inserted.map(({ position, idx }) => placeKey(Number(position), Number(idx))))
  return events.filter(({ position, index }) => places.delete(placeKey(position, index)))
}

async function insertDecidedDeliveries(sql: Sql, events: readonly PlannedEvent[]): Promise<void> {
  const rows = events.flatMap(({ tagId, position, index, eventName, receivedAt, deliveries, slot = slotOf(tagId) }) =>
    deliveries.flatMap(({ deliveryId, scriptId, providerId, status, reason = null }) => {
      if (status === 'pending') return []
      const place = [position, index, slot, receivedAt]
      return [[...place, deliveryId, tagId, scriptId, providerId, status, reason, eventName]]
    }),
  )
  if (rows.length > 0) await sql(insertDecided, decided.params(rows))
}

async function insertHeld(sql: Sql, events: readonly PlannedEvent[]): Promise<void> {
  const rows = events.flatMap(({ tagId, position, index, held: hold, deliveries, slot = slotOf(tagId) }) =>
    hold && deliveries.some(({ status }) => status === 'held')
      ? [[tagId, position, index, slot, hold.until, hold.waitsFor]]
      : [],
  )
  if (rows.length > 0) await sql(insertHolds, held.params(rows))
}

const decidedCounts = (events: readonly PlannedEvent[]): CountedDeliveries[] =>
  events.flatMap(({ tagId: tag, eventName, receivedAt, deliveries }) =>
    deliveries
      .filter(({ status }) => status !== 'pending')
      .map(({ scriptId: script, status, reason = '' }) => {
        return {
          tag,
          minute: Math.floor(receivedAt / minuteMs),
          name: toStoredText(eventName),
          script,
          status,
          reason,
          count: 1,
          at: receivedAt,
        }
      }),
  )

/** Inserts the events that are not planned yet, with their deliveries and counts. */
export async function insertPlan(sql: Sql, events: readonly PlannedEvent[]): Promise<void> {
  const added = await insertNew(sql, events)
  await insertPlannedDeliveries(sql, added)
  await insertDecidedDeliveries(sql, added)
  await insertHeld(sql, added)
  await addPurchases(sql, added)
  const counts = added.map(({ tagId: tag, eventName, receivedAt }) => {
    return { tag, minute: Math.floor(receivedAt / minuteMs), name: toStoredText(eventName), count: 1 }
  })
  await addEventCounts(sql, counts)
  await addDeliveryCounts(sql, decidedCounts(added))
}
