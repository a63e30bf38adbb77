import type { EventListRow } from '#store/journalQueries.ts'
import { isOfPlace, placeRows, placesParam } from './deliveryReads.ts'
import { readEventListRow } from './deliveryRows.ts'
import type { Dialect, EventKey } from './dialect.ts'
import type { Read } from './read.ts'
import type { SqlRow } from './sql.ts'

export function createEventReads(dialect: Dialect) {
  const wanted = placeRows(dialect, '?1')
  const selectAt = `
    SELECT wanted.no, event.position, event.idx, event.name, ${dialect.delivery.user} AS user_id, event.received_at
    FROM ${wanted} CROSS JOIN event
    WHERE event.tag = ${dialect.ref('?2')} AND event.position = wanted.position AND event.idx = wanted.idx`
  const selectCounts = `
    SELECT wanted.no, delivery.status, count(*) AS count FROM ${wanted} CROSS JOIN delivery
    WHERE ${isOfPlace} GROUP BY wanted.no, delivery.status`
  return {
    /** The events at these places, in their order. */
    *at(tagId: string, places: readonly EventKey[]): Read<SqlRow[]> {
      if (places.length === 0) return []
      return (yield [selectAt, placesParam(places), tagId]).sort((one, other) => Number(one.no) - Number(other.no))
    },
    /** The rows of a list, with each event's deliveries counted by status. */
    *listed(events: readonly SqlRow[]): Read<EventListRow[]> {
      if (events.length === 0) return []
      const keys = events.map(({ position, idx }) => ({ position, idx }) as EventKey)
      const counts = Map.groupBy(yield [selectCounts, placesParam(keys)], ({ no }) => Number(no))
      return events.map((row, n) => readEventListRow(row, counts.get(n) ?? []))
    },
  }
}
