import { slotOf } from '#cluster/slotOf.ts'
import { type ElementType, toBinaryColumns } from '#postgres/binaryArrays.ts'
import type { Sql } from '#postgres/database.ts'
import type { PlannedEvent } from '#store/plannedEvent.ts'
import { columnsOf, toStoredText } from './columns.ts'
import { addDeliveryCounts, addEventCounts, type CountedDeliveries } from './journalCounts.ts'
import { addPurchases } from './orderTables.ts'
import { insertPlannedDeliveries } from './plannedDeliveries.ts'

const minuteMs = 60_000

/** In order, so that two plans of the same events wait for each other. An event that exists keeps its first plan. */
const insertEvents = `
  INSERT INTO event (tag, position, idx, slot, name, user_id, joined, received_at, consent, place, order_hash)
  SELECT * FROM unnest($1::text[], $2::bigint[], $3::int[], $4::int[], $5::text[], $6::text[], $7::text[], $8::bigint[],
    $9::text[], $10::text[], $11::text[]) AS planned (tag, position, idx) ORDER BY position, idx
  ON CONFLICT (tag, position, idx) DO NOTHING RETURNING position, idx`

const eventTypes: readonly ElementType[] = [
  'text',
  'int8',
  'int4',
  'int4',
  'text',
  'text',
  'text',
  'int8',
  'text',
  'text',
  'text',
]

const insertDecided = `
  INSERT INTO delivery (position, idx, slot, at, id, tag, script, provider, status, reason, name)
  SELECT * FROM unnest($1::bigint[], $2::int[], $3::int[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::text[], $11::text[]) AS decided (position, idx, slot, at, id, tag, script) ORDER BY position, idx, script COLLATE "C"
  ON CONFLICT DO NOTHING`

const insertHolds = `
  INSERT INTO held (tag, position, idx, slot, until, user_id)
  SELECT * FROM unnest($1::text[], $2::bigint[], $3::int[], $4::int[], $5::bigint[], $6::text[])
  ON CONFLICT DO NOTHING`

const placeKey = (position: number, index: number) => `${position} ${index}`

/** Inserts the events that are not planned yet, and returns these. */
async function insertNew(sql: Sql, events: readonly PlannedEvent[]): Promise<PlannedEvent[]> {
  const rows = events.map((each) => {
    const { tagId, position, index, eventName, userId, emailMatch, receivedAt, consent, place } = each
    const { slot = slotOf(tagId), orderHash = null } = each
    const names = [eventName, userId, emailMatch ?? null]
    const decided = [JSON.stringify(consent), JSON.stringify(place), orderHash]
    return [tagId, position, index, slot, ...names, receivedAt, ...decided]
  })
  const inserted = await sql(insertEvents, toBinaryColumns(rows, eventTypes))
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
  if (rows.length > 0) await sql(insertDecided, columnsOf(rows, 11))
}

async function insertHeld(sql: Sql, events: readonly PlannedEvent[]): Promise<void> {
  const rows = events.flatMap(({ tagId, position, index, held, deliveries, slot = slotOf(tagId) }) =>
    held && deliveries.some(({ status }) => status === 'held')
      ? [[tagId, position, index, slot, held.until, held.waitsFor]]
      : [],
  )
  if (rows.length > 0) await sql(insertHolds, columnsOf(rows, 6))
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
