import type { QueryRow, Sql } from '#postgres/database.ts'
import type { PageRequest, ResultPage } from '#store/cursor.ts'
import { maxScannedRows } from '#store/deliveryMatch.ts'
import type { DeliveryFilter, DeliveryRecord } from '#store/deliveryQueries.ts'
import type { EventRef } from '#store/plannedEvent.ts'
import { readDeliveryRecord } from '#store/sql/deliveryRows.ts'
import { matchingRows, placeOf, readLastAttempts, scanDeliveries, selectDelivery } from './deliveryScan.ts'
import { encodePlace, scanRange } from './eventScan.ts'

/** The records of scanned rows, with their last attempts. */
async function toRecords(sql: Sql, tagId: string, rows: readonly QueryRow[]): Promise<DeliveryRecord[]> {
  const attempts = await readLastAttempts(
    sql,
    rows.map(({ id }) => String(id)),
  )
  return rows.map((row) => readDeliveryRecord(row, tagId, attempts.get(String(row.id))))
}

/** A page of deliveries. The next page starts after the last scanned row. */
export async function findDeliveries(
  sql: Sql,
  tagId: string,
  filter: DeliveryFilter,
  { cursor, limit }: PageRequest,
): Promise<ResultPage<DeliveryRecord>> {
  const found: QueryRow[] = []
  let scannedRows = 0
  for await (const group of scanDeliveries(sql, await scanRange(sql, tagId, filter, cursor), filter)) {
    const matching = await matchingRows(sql, group, filter)
    for (const row of group) {
      if (matching.has(row)) found.push(row)
      if (found.length === limit || ++scannedRows === maxScannedRows)
        return { rows: await toRecords(sql, tagId, found), next: encodePlace(placeOf(row)) }
    }
  }
  return { rows: await toRecords(sql, tagId, found) }
}

const join = 'JOIN event ON event.tag = $1 AND event.position = delivery.position AND event.idx = delivery.idx'
const selectByIds = `${selectDelivery} FROM delivery ${join} WHERE delivery.id = ANY($2) AND delivery.tag = $1`
const selectOfEvents = `
  ${selectDelivery} FROM unnest($2::bigint[], $3::int[]) AS wanted (position, idx)
    JOIN delivery ON delivery.position = wanted.position AND delivery.idx = wanted.idx AND delivery.tag = $1 ${join}
  ORDER BY delivery.position, delivery.idx, delivery.script`

/** The deliveries with these ids that exist. */
export async function findDeliveriesById(
  sql: Sql,
  tagId: string,
  deliveryIds: readonly string[],
): Promise<DeliveryRecord[]> {
  if (deliveryIds.length === 0) return []
  return toRecords(sql, tagId, await sql(selectByIds, [tagId, deliveryIds]))
}

/** The deliveries of events, in order of the events and, within an event, of the scripts. */
export async function deliveriesOfEvents(
  sql: Sql,
  tagId: string,
  events: readonly Pick<EventRef, 'position' | 'index'>[],
): Promise<DeliveryRecord[]> {
  if (events.length === 0) return []
  const columns = [events.map(({ position }) => position), events.map(({ index }) => index)]
  return toRecords(sql, tagId, await sql(selectOfEvents, [tagId, ...columns]))
}
