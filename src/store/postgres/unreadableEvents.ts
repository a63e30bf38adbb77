import type { Sql } from '#postgres/database.ts'
import { unreadable } from '#store/plannedEvent.ts'
import type { Journal } from '#store/store.ts'
import { columnsOf } from './columns.ts'
import { addPurchases } from './orderTables.ts'

const nameEvents = `
  WITH named AS MATERIALIZED (
    SELECT named.* FROM unnest($1::text[], $2::bigint[], $3::int[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
        AS named (tag, position, idx, name, user_id, consent, place, joined, order_hash)
      JOIN event ON event.tag = named.tag AND event.position = named.position AND event.idx = named.idx
    WHERE event.user_id = '${unreadable}'
    ORDER BY event.position, event.idx FOR UPDATE OF event
  )
  UPDATE event SET name = named.name, user_id = named.user_id, consent = named.consent, place = named.place,
    joined = named.joined, order_hash = named.order_hash
  FROM named WHERE event.tag = named.tag AND event.position = named.position AND event.idx = named.idx`

const nameDeliveries = `
  WITH named AS MATERIALIZED (
    SELECT delivery.position, delivery.idx, delivery.script, named.name
    FROM unnest($1::bigint[], $2::int[], $3::text[]) AS named (position, idx, name)
      JOIN delivery ON delivery.position = named.position AND delivery.idx = named.idx
    WHERE delivery.name = '${unreadable}'
    ORDER BY delivery.position, delivery.idx, delivery.script FOR UPDATE OF delivery
  )
  UPDATE delivery SET name = named.name
  FROM named
  WHERE delivery.position = named.position AND delivery.idx = named.idx AND delivery.script = named.script`

/** Sets the names of events that were unreadable when they were planned. */
export async function nameUnreadableEvents(sql: Sql, events: Parameters<Journal['nameUnreadable']>[0]): Promise<void> {
  const rows = events.map(({ tagId, position, index, eventName, userId, consent, place, ...keys }) => {
    const names = [eventName, userId, JSON.stringify(consent), JSON.stringify(place)]
    return [tagId, position, index, ...names, keys.emailMatch ?? null, keys.orderHash ?? null]
  })
  const places = events.map(({ position, index, eventName }) => [position, index, eventName])
  await sql(nameEvents, columnsOf(rows, 9))
  await sql(nameDeliveries, columnsOf(places, 3))
  await addPurchases(sql, events)
}
