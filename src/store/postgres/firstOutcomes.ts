import { slotOf } from '#cluster/slotOf.ts'
import { toBinaryColumns } from '#postgres/binaryArrays.ts'
import type { Sql } from '#postgres/database.ts'
import { outcomeAt } from '#store/sql/deliveryRows.ts'
import type { DeliveryOutcome, DueDelivery } from '#store/store.ts'
import { isInRow, outcomeTypes, outcomeValues } from './attemptStatements.ts'
import { arrayRows, toStoredText } from './columns.ts'
import { type CountedDeliveries, isCounted } from './journalCounts.ts'

const minuteMs = 60_000

const ended = arrayRows('ended', { event: 'int4', slot: 'int4', name: 'text', ...outcomeTypes }, 4)
const outcomeNames = Object.keys(outcomeTypes).join(', ')

/**
 * Inserts rows for events that still have a list of planned deliveries, and therefore no delivery rows yet. This takes
 * one lookup per event; an upsert takes two per delivery. Returns whether each event had a list.
 */
const insertListed = `
  WITH listed AS MATERIALIZED (
    SELECT array_agg(EXISTS (
      SELECT FROM planned
      WHERE planned.slot = place.slot AND planned.position = place.position AND planned.idx = place.idx
    ) ORDER BY place.no) AS each
    FROM unnest($1::int[], $2::bigint[], $3::int[]) WITH ORDINALITY AS place (slot, position, idx, no)
  ), inserted AS (
    INSERT INTO delivery (priority, slot, name, ${outcomeNames})
    SELECT 1, slot, name, ${outcomeNames} FROM ${ended.from}
    WHERE (SELECT each FROM listed)[ended.event] ORDER BY position, idx, script COLLATE "C"
  )
  SELECT each FROM listed`

type FirstOutcome = { outcome: DeliveryOutcome; delivery: DueDelivery & { eventName: string } }

const isFirst = (delivery: DueDelivery | undefined): delivery is FirstOutcome['delivery'] =>
  delivery?.eventName !== undefined && delivery.attempts === 0

const slotOfDelivery = ({ slot, tagId }: DueDelivery) => slot ?? slotOf(tagId)

const rowOf = (event: number, { outcome, delivery }: FirstOutcome, packNumbers: readonly number[]) => [
  ...[event, slotOfDelivery(delivery), delivery.eventName],
  ...outcomeValues(outcome, delivery, packNumbers),
]

const countOf = ({ outcome, delivery }: FirstOutcome): CountedDeliveries => {
  const at = outcomeAt(outcome) ?? delivery.receivedAt
  const { status, reason = '' } = outcome
  const { tagId: tag, scriptId: script, eventName } = delivery
  return { tag, minute: Math.floor(at / minuteMs), name: toStoredText(eventName), script, status, reason, count: 1, at }
}

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

/** The inserted outcomes, the counts to add for them, and the packs that their rows refer to. */
type Inserted = { outcomes: ReadonlySet<DeliveryOutcome>; counts: CountedDeliveries[]; usedPacks: number[] }

/**
 * Inserts rows for just planned deliveries with the outcome of the first attempt. Skips deliveries that may already
 * have rows. No delivery may occur twice. Throws a DatabaseError (isDuplicate) if a row exists nevertheless.
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
  const slots = places.map((place) => [slotOfDelivery(place), place.position, place.index])
  const params = [...toBinaryColumns(slots, ['int4', 'int8', 'int4']), ...ended.params(rows)]
  const [found] = await sql<{ each: boolean[] }>(insertListed, params)
  const inserted = events.filter((_, n) => found!.each[n]).flat()
  return {
    outcomes: new Set(inserted.map(({ outcome }) => outcome)),
    counts: inserted.map(countOf).filter(isCounted),
    usedPacks: inserted.flatMap(({ outcome }) =>
      isInRow(outcome) && outcome.attempt.packed ? [packNumbers[outcome.attempt.packed.pack]!] : [],
    ),
  }
}
