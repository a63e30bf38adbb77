import type { Database } from '#postgres/database.ts'
import { repeatUnknown } from '#postgres/repeatWhileAway.ts'
import type { DeliveryQueries } from '#store/deliveryQueries.ts'
import { packRef, readEventRef, readJoin } from '#store/sql/deliveryRows.ts'
import { readRepeats } from '#store/sql/intakeReads.ts'
import { awaitRead } from '#store/sql/read.ts'
import type { EventRef } from '#store/store.ts'
import { columnsOf } from './columns.ts'
import { postgresDialect } from './dialect.ts'
import { storePlanned } from './plannedDeliveries.ts'
import { createRetention } from './retention.ts'
import { createReads } from './statements.ts'

const selectNewest =
  'SELECT tag, position, idx FROM event WHERE tag = $1 ORDER BY tag DESC, position DESC, idx DESC LIMIT 1'
const selectPack = 'SELECT tag, sealed FROM bodies WHERE no = $1'
const selectPackRefs = `
  SELECT delivery.id, attempt.bodies AS no, attempt.part
  FROM unnest($1::bigint[], $2::int[]) WITH ORDINALITY AS wanted (position, idx, no)
    JOIN delivery ON delivery.position = wanted.position AND delivery.idx = wanted.idx
    CROSS JOIN LATERAL (
      SELECT 1 AS number, delivery.bodies, delivery.part
      UNION ALL
      SELECT number, bodies, part FROM attempt WHERE attempt.delivery = delivery.id
    ) AS attempt
  WHERE attempt.bodies IS NOT NULL ORDER BY wanted.no, delivery.script, attempt.number`
const selectJoins = `
  SELECT attempt.delivery AS id, attempt.number, attempt.bodies AS no, attempt.part
  FROM attempt JOIN delivery ON delivery.id = attempt.delivery
  WHERE attempt.joined = $1 AND delivery.tag = $2 LIMIT $3`
const repeats = readRepeats(postgresDialect)
const selectNeeded = `
  SELECT DISTINCT position FROM delivery
  WHERE position BETWEEN $1 AND $2 AND status IN ('pending', 'held', 'dead', 'refused')
    AND reason IS DISTINCT FROM 'erased' ORDER BY position`

/** The newest event of a tag. */
export async function newestOf({ sql }: Pick<Database, 'sql'>, tagId: string): Promise<EventRef | undefined> {
  const [row] = await sql(selectNewest, [tagId])
  return row && readEventRef(row, tagId)
}

export const createDeliveryQueries = (database: Database): DeliveryQueries => {
  const { sql } = database
  return {
    repeats: (tagId, keys) => awaitRead(repeats(tagId, keys), createReads(sql)),
    newestEvent: (tagId) => newestOf(database, tagId),
    async exchangePack(no) {
      const [row] = await sql(selectPack, [no])
      return row && { tagId: String(row.tag), sealed: new Uint8Array(row.sealed as Uint8Array) }
    },
    joins: async (tagId, userId, limit) => (await sql(selectJoins, [userId, tagId, limit])).map(readJoin),
    async exchangePackRefs(events) {
      const places = events.map(({ position, index }) => [position, index])
      return (await sql(selectPackRefs, columnsOf(places, 2))).map(packRef.read)
    },
    async replaceExchangePack(no, sealed) {
      await repeatUnknown(() => sql('UPDATE bodies SET sealed = $1 WHERE no = $2', [sealed, no]))
    },
    async neededPositions(from, to) {
      await repeatUnknown(() => storePlanned(sql))
      return (await sql(selectNeeded, [from, to])).map(({ position }) => Number(position))
    },
    ...createRetention(database),
  }
}
