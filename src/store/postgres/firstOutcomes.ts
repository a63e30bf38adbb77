import { slotOf } from '#cluster/slotOf.ts'
import { type ElementType, toBinaryArray, toBinaryColumns } from '#postgres/binaryArrays.ts'
import type { Sql } from '#postgres/database.ts'
import type { DeliveryOutcome, DueDelivery } from '#store/store.ts'
import { isInRow } from './attemptStatements.ts'
import { toStoredText } from './columns.ts'
import { type CountedDeliveries, isCounted } from './journalCounts.ts'
import { firstColumns, outcomeAt, stepsOf } from './outcomeColumns.ts'

const minuteMs = 60_000

/**
 * Inserts rows of the events whose list of planned deliveries is still there: nobody has stored rows of these events then.
 * A look-up for each event, where an upsert takes two for each delivery. Returns of which events there was a list.
 */
const insertListed = `
  WITH listed AS MATERIALIZED (
    SELECT array_agg(EXISTS (
      SELECT FROM planned
      WHERE planned.slot = place.slot AND planned.position = place.position AND planned.idx = place.idx
    ) ORDER BY place.no) AS each
    FROM unnest($1::int[], $2::bigint[], $3::int[]) WITH ORDINALITY AS place (slot, position, idx, no)
  ), inserted AS (
    INSERT INTO delivery (position, idx, slot, attempts, priority, next_at, at, uncounted, crash_count, id, tag, script,
      provider, status, reason, name, queue, steps, first_at, first_ms, http_status, bodies, part, message)
    SELECT position, idx, slot, 1, 1, next_at, at, uncounted, crash_count, id, tag, script, provider, status, reason,
      name, queue, steps, first_at, first_ms, http_status, bodies, part, message
    FROM unnest($4::int[], $5::bigint[], $6::int[], $7::int[], $8::bigint[], $9::bigint[], $10::int[], $11::int[],
        $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[],
        $20::text[], $21::bigint[], $22::int[], $23::int[], $24::bigint[], $25::int[], $26::text[])
      AS ended (event, position, idx, slot, next_at, at, uncounted, crash_count, id, tag, script, provider, status,
        reason, name, queue, steps, first_at, first_ms, http_status, bodies, part, message)
    WHERE (SELECT each FROM listed)[ended.event] ORDER BY position, idx, script COLLATE "C"
  )
  SELECT each FROM listed`

const rowTypes: readonly ElementType[] = [
  'int4',
  'int8',
  'int4',
  'int4',
  'int8',
  'int8',
  'int4',
  'int4',
  ...Array.from({ length: 9 }, () => 'text' as const),
  'int8',
  'int4',
  'int4',
  'int8',
  'int4',
  'text',
]

type FirstOutcome = { outcome: DeliveryOutcome; delivery: DueDelivery & { eventName: string } }

const isFirst = (delivery: DueDelivery | undefined): delivery is FirstOutcome['delivery'] =>
  delivery?.eventName !== undefined && delivery.attempts === 0

const slotOfDelivery = ({ slot, tagId }: DueDelivery) => slot ?? slotOf(tagId)

function rowOf(event: number, { outcome, delivery }: FirstOutcome, packNumbers: readonly number[]) {
  const { status, reason = null, nextAt, isUncounted, isCrash } = outcome
  const { deliveryId, tagId, position, index, scriptId, providerId, orderKey = null, eventName, receivedAt } = delivery
  const times = [status === 'pending' ? (nextAt ?? receivedAt) : null, outcomeAt(outcome) ?? receivedAt]
  const counts = [delivery.uncountedAttempts + (isUncounted ? 1 : 0), isCrash ? (delivery.crashCount ?? 0) + 1 : 0]
  const texts = [deliveryId, tagId, scriptId, providerId, status, reason, eventName, orderKey, stepsOf(outcome)]
  const place = [event, position, index, slotOfDelivery(delivery)]
  return [...place, ...times, ...counts, ...texts, ...firstColumns(outcome, packNumbers)]
}

const countOf = ({ outcome, delivery }: FirstOutcome): CountedDeliveries => {
  const at = outcomeAt(outcome) ?? delivery.receivedAt
  const { status, reason = '' } = outcome
  const { tagId: tag, scriptId: script, eventName } = delivery
  return { tag, minute: Math.floor(at / minuteMs), name: toStoredText(eventName), script, status, reason, count: 1, at }
}

/** The outcomes of first attempts, by their events. */
function byEvent(outcomes: readonly DeliveryOutcome[]): FirstOutcome[][] {
  const events = new Map<string, FirstOutcome[]>()
  for (const outcome of outcomes) {
    const { delivery } = outcome
    if (!isFirst(delivery)) continue
    const key = `${delivery.position} ${delivery.index}`
    const group = events.get(key)
    if (group) group.push({ outcome, delivery })
    else events.set(key, [{ outcome, delivery }])
  }
  return [...events.values()]
}

/** What was inserted, what is to be counted of it, and the packs to which the rows refer. */
type Inserted = { outcomes: ReadonlySet<DeliveryOutcome>; counts: CountedDeliveries[]; usedPacks: number[] }

/**
 * Inserts the rows of deliveries that were just planned, at their first attempts. Those whose rows may exist are left out.
 * No delivery may occur twice. Throws a DatabaseError (isDuplicate) if a row is there in spite of that.
 */
export async function insertFirstOutcomes(
  sql: Sql,
  outcomes: readonly DeliveryOutcome[],
  packNumbers: readonly number[],
): Promise<Inserted> {
  const events = byEvent(outcomes)
  if (events.length === 0) return { outcomes: new Set(), counts: [], usedPacks: [] }
  const places = events.map(([first]) => first!.delivery)
  const rows = events.flatMap((group, n) => group.map((each) => rowOf(n + 1, each, packNumbers)))
  const [found] = await sql<{ each: boolean[] }>(insertListed, [
    toBinaryArray('int4', places.map(slotOfDelivery)),
    toBinaryArray(
      'int8',
      places.map(({ position }) => position),
    ),
    toBinaryArray(
      'int4',
      places.map(({ index }) => index),
    ),
    ...toBinaryColumns(rows, rowTypes),
  ])
  const inserted = events.filter((_, n) => found!.each[n]).flat()
  return {
    outcomes: new Set(inserted.map(({ outcome }) => outcome)),
    counts: inserted.map(countOf).filter(isCounted),
    usedPacks: inserted.flatMap(({ outcome }) =>
      isInRow(outcome) && outcome.attempt.packed ? [packNumbers[outcome.attempt.packed.pack]!] : [],
    ),
  }
}
