import type { Sql } from '#postgres/database.ts'
import { unreadable } from '#store/plannedEvent.ts'
import type { Journal } from '#store/store.ts'
import { columnsOf } from './columns.ts'
import { updateLocked } from './lockedRows.ts'
import { addPurchases } from './orderTables.ts'

const nameEvents = updateLocked('event', {
  from: `unnest($1::text[], $2::bigint[], $3::int[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
      AS named (tag, position, idx, name, user_id, consent, place, joined, order_hash)
    JOIN event USING (tag, position, idx) WHERE event.user_id = '${unreadable}'`,
  columns: 'named.name, named.user_id, named.consent, named.place, named.joined, named.order_hash',
  set: `name = found.name, user_id = found.user_id, consent = found.consent, place = found.place, joined = found.joined,
    order_hash = found.order_hash`,
})

const nameDeliveries = updateLocked('delivery', {
  from: `unnest($1::bigint[], $2::int[], $3::text[]) AS named (position, idx, name) JOIN delivery USING (position, idx)
    WHERE delivery.name = '${unreadable}'`,
  columns: 'named.name',
  set: 'name = found.name',
})

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
