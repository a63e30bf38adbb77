import type { Database, QueryRow, Sql } from '#postgres/database.ts'
import { repeatUnknown } from '#postgres/repeatWhileAway.ts'
import type { DeliveryQueries } from '#store/deliveryQueries.ts'
import { countTableNames } from '#store/sql/countTables.ts'
import { createDropExpired, findExpiredEvents, type RetentionStep } from '#store/sql/retention.ts'
import { columnsOf } from './columns.ts'
import { postgresDialect } from './dialect.ts'
import { dropLeftTag } from './droppedTags.ts'
import { storePlannedOf } from './plannedDeliveries.ts'
import { createReads, runStatements } from './statements.ts'

/** Locks the deliveries of these events. An event of which one has become pending again is kept. */
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

const findExpired = findExpiredEvents(postgresDialect)
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
const dropEvents =
  (database: Pick<Database, 'transaction'>): RetentionStep =>
  (_reads, cutoffs, tagId, cursor) =>
    repeatUnknown(() =>
      database.transaction(async (sql) => {
        await storePlannedOf(sql, tagId)
        const { expired, next } = await findExpired(createReads(sql), cutoffs, tagId, cursor)
        return { statements: [], dropped: await deleteEvents(sql, expired), next }
      }),
    )

const keptTables = ['event', 'bodies', 'deployment', 'event_repeat', 'dropped_tag', ...countTableNames]
const nextTag = `SELECT min(tag) AS tag FROM (${keptTables
  .map((table) => `(SELECT tag FROM ${table} WHERE tag > $1 ORDER BY tag LIMIT 1)`)
  .join(' UNION ALL ')}) AS kept`

export const createRetention = (database: Database): Pick<DeliveryQueries, 'dropExpired' | 'nextKeptTag'> => ({
  dropExpired: createDropExpired(postgresDialect, {
    reads: createReads(database.sql),
    write: (statements) => repeatUnknown(() => database.transaction((sql) => runStatements(sql, statements))),
    dropEvents: dropEvents(database),
    more: [dropLeftTag(database)],
  }),
  async nextKeptTag(after) {
    const [next] = await database.sql<{ tag: string | null }>(nextTag, [after])
    return next?.tag ?? undefined
  },
})
