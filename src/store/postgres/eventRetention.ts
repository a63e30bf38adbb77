import type { QueryRow, Sql } from '#postgres/database.ts'
import type { RetentionCutoffs } from '#store/deliveryQueries.ts'
import { columnsOf } from './columns.ts'
import { storePlannedOf } from './plannedDeliveries.ts'
import type { RetentionStep } from './retentionSlice.ts'

/** The limit of one transaction, so that it holds its locks for some milliseconds only. */
const eventsPerCommit = 200

/** `worst` is 2 if a delivery is pending or held, 1 if one has failed, else 0. */
const selectOldest = `
  SELECT tag, position, idx, received_at, (
    SELECT max(CASE WHEN status IN ('pending', 'held') THEN 2 WHEN status IN ('dead', 'refused') THEN 1 ELSE 0 END)
    FROM delivery WHERE delivery.position = event.position AND delivery.idx = event.idx
  ) AS worst
  FROM event WHERE tag = $1 AND (position, idx) > ($2, $3) ORDER BY tag, position, idx LIMIT $4`

/** The deliveries of these events; those of an event that is pending again meanwhile are kept. */
const lockDeliveries = `
  SELECT delivery.id, delivery.position, delivery.idx, delivery.status
  FROM unnest($1::bigint[], $2::int[]) AS old (position, idx)
    JOIN delivery ON delivery.position = old.position AND delivery.idx = old.idx
  ORDER BY delivery.position, delivery.idx, delivery.script FOR UPDATE OF delivery`
const dropAttempts = 'DELETE FROM attempt WHERE delivery = ANY($1)'
const dropDeliveries = 'DELETE FROM delivery WHERE id = ANY($1)'
const dropRows = `
  DELETE FROM event USING unnest($1::text[], $2::bigint[], $3::int[]) AS old (tag, position, idx)
  WHERE event.tag = old.tag AND event.position = old.position AND event.idx = old.idx`

const dropPurchases = `
  DELETE FROM purchase USING unnest($1::bigint[], $2::int[]) AS old (position, idx)
  WHERE purchase.position = old.position AND purchase.idx = old.idx`

function isExpired({ received_at, worst }: QueryRow, { journalMs, failuresMs }: RetentionCutoffs): boolean {
  const receivedAt = Number(received_at)
  return receivedAt < journalMs && (worst !== 1 || receivedAt < failuresMs) && worst !== 2
}

const placeKey = ({ position, idx }: QueryRow) => `${position} ${idx}`

/** Deletes these events with their deliveries and attempts, and returns how many. */
async function deleteEvents(sql: Sql, expired: readonly QueryRow[]): Promise<number> {
  if (expired.length === 0) return 0
  const places = expired.map(({ position, idx }) => [Number(position), Number(idx)])
  const deliveries = await sql(lockDeliveries, columnsOf(places, 2))
  const open = new Set(deliveries.filter(({ status }) => status === 'pending' || status === 'held').map(placeKey))
  const done = expired.filter((event) => !open.has(placeKey(event)))
  const ids = deliveries.filter((each) => !open.has(placeKey(each))).map(({ id }) => String(id))
  await sql(dropAttempts, [ids])
  await sql(dropDeliveries, [ids])
  const rows = done.map(({ tag, position, idx }) => [String(tag), Number(position), Number(idx)])
  await sql(dropPurchases, columnsOf(rows, 3).slice(1))
  await sql(dropRows, columnsOf(rows, 3))
  return done.length
}

/** Drops the events of a tag with their deliveries and attempts, up to the first one that has not expired. */
export const dropEvents: RetentionStep = (database, cutoffs, tagId, cursor) =>
  database.transaction(async (sql) => {
    await storePlannedOf(sql, tagId)
    const rows = await sql(selectOldest, [tagId, cursor.position, cursor.idx, eventsPerCommit])
    const dropped = await deleteEvents(
      sql,
      rows.filter((row) => isExpired(row, cutoffs)),
    )
    const last = rows.at(-1)
    if (last && rows.length === eventsPerCommit && Number(last.received_at) < cutoffs.journalMs)
      return { dropped, next: { ...cursor, position: Number(last.position), idx: Number(last.idx) } }
    return { dropped, next: undefined }
  })
