import { type Generations, positionBase } from './positions.ts'
import { bodyTable, positionSequence, seenTable } from './streamTables.ts'

/** The values that the text of a statement depends on. `hasOthers`: whether an event has a further key. */
type AppendShape = { day: number; shard: number; generations: Generations; hasOthers: boolean }

/** SQL: true if no table has a key. A subquery forces one index look-up, independent of the planner's estimates. */
const isIn = (tables: readonly string[], key: string) =>
  tables.map((table) => `(SELECT 1 FROM ${table} WHERE key = ${key} AND place >= $7) IS NULL`)

/**
 * Stores the new keys, then the records that have one. Parameters: $1 key, $2 record << 9 | index of each event that may
 * be new; $3 tag, $4 slot, $5 number of events, $6 payload of each record; $7 the oldest known place, $8 now (epoch ms),
 * $9 the mark of the statement, $10 the further key of each event, 0 for none. Rows: the number of a record with a new
 * event, from 1, and the indexes of its new events, null if all are new.
 *
 * Keys are inserted in order, so that two statements with the same keys wait for each other and never deadlock: with
 * two generations, the second gets the keys that are new in the first. A key that another transaction is storing is
 * waited for. Around a change of generation a key is new if it is new in both.
 */
export function appendStatement({ day, shard, generations: { stored, probed }, hasOthers }: AppendShape): string {
  const others = [...stored, ...probed].map(seenTable)
  const conditions = [
    ...isIn(probed.map(seenTable), 'e.key'),
    ...(hasOthers ? [`(e.other = 0 OR (${isIn(others, 'e.other').join(' AND ')}))`] : []),
  ]
  const events = hasOthers
    ? 'unnest($1::bigint[], $2::int[], $10::bigint[]) AS e(key, ref, other)'
    : 'unnest($1::bigint[], $2::int[]) AS e(key, ref)'
  const [first, second] = stored
  const taken = `INSERT INTO ${seenTable(first!)} (key, place)
    SELECT e.key, p.at[(e.ref >> 9) + 1] << 9 | (e.ref & 511) FROM positions p, ${events}
    WHERE ${conditions.join(' AND ')} ORDER BY e.key, e.ref ON CONFLICT DO NOTHING RETURNING key, place`
  const takenAgain = `INSERT INTO ${seenTable(second ?? first!)} (key, place)
    SELECT key, place FROM taken_first ORDER BY key ON CONFLICT DO NOTHING RETURNING key, place`
  return `WITH positions AS MATERIALIZED (
    SELECT array_agg(${positionBase(day, shard)}::bigint + nextval('${positionSequence(day)}')) AS at
    FROM generate_series(1, cardinality($4::int[]))
  ), ${second === undefined ? '' : `taken_first AS (${taken}), `}taken AS (${second === undefined ? taken : takenAgain}),
  new_events AS (
    SELECT place >> 9 AS position, count(*)::int AS count, array_agg((place & 511)::int2) AS indexes
    FROM taken GROUP BY 1
  ), stored AS (
    INSERT INTO ${bodyTable(day)} (position, tag, slot, appended_ms, writer, events, new_indexes, payload)
    SELECT f.position, r.tag, r.slot, $8, $9, r.events, CASE WHEN f.count < r.events THEN f.indexes END, r.payload
    FROM positions p CROSS JOIN unnest($3::text[], $4::int[], $5::int[], $6::bytea[])
      WITH ORDINALITY AS r(tag, slot, events, payload, number)
    JOIN new_events f ON f.position = p.at[r.number]
    RETURNING position, tag, slot, coalesce(cardinality(new_indexes), events) AS count, new_indexes, octet_length(payload) AS bytes
  ), queued AS (
    INSERT INTO todo (slot, position, tag, events, bytes) SELECT slot, position, tag, count, bytes FROM stored
  )
  SELECT width_bucket(s.position, p.at) AS record, s.new_indexes FROM stored s, positions p`
}
