import type { QueryRow, Sql } from '#postgres/database.ts'
import type { ExchangePack } from '#store/deliveryQueries.ts'
import { outcomeAt, stepsOf } from '#store/sql/deliveryRows.ts'
import type { DeliveryOutcome } from '#store/store.ts'
import { dropUnusedPacks, insertAttempts, insertPacks, outcomeTypes, outcomeValues } from './attemptStatements.ts'
import { countChanged } from './changeDeliveries.ts'
import { arrayRows } from './columns.ts'
import { insertFirstOutcomes } from './firstOutcomes.ts'
import { addDeliveryCounts, type CountedDeliveries, isCounted, readCountedDeliveries } from './journalCounts.ts'

/** Like `countChanged`, but for all rows, and with their packs. */
const countAttempted = `
  SELECT tag, at / 60000 AS minute, script, name, status, coalesce(reason, '') AS reason, bodies, count(*) AS count,
    max(at) AS at
  FROM changed GROUP BY 1, 2, 3, 4, 5, 6, 7`

/** A row that has its first attempt keeps it. */
const firstAttempt = ['first_at', 'first_ms', 'http_status', 'bodies', 'part', 'message']
  .map((name) => `${name} = CASE WHEN stored.first_at IS NULL THEN excluded.${name} ELSE stored.${name} END`)
  .join(', ')

const attempted = arrayRows('ended', outcomeTypes)

/**
 * Inserts or updates the row of an attempted delivery. All values are absolute: a row that already has them is not
 * changed, and not counted again.
 */
const upsertDeliveries = `
  WITH changed AS (
    INSERT INTO delivery AS stored (priority, slot, name, ${attempted.names})
    SELECT 1, event.slot, event.name, ended.* FROM ${attempted.from}
      JOIN event ON event.tag = ended.tag AND event.position = ended.position AND event.idx = ended.idx
    ORDER BY ended.position, ended.idx, ended.script COLLATE "C"
    ON CONFLICT (position, idx, script) DO UPDATE SET status = excluded.status, reason = excluded.reason,
      next_at = excluded.next_at, attempts = excluded.attempts, uncounted = excluded.uncounted,
      priority = greatest(stored.priority, 1),
      under_way = false, crash_count = excluded.crash_count, at = excluded.at, steps = excluded.steps, ${firstAttempt}
    WHERE (stored.status, stored.reason, stored.next_at, stored.attempts, stored.uncounted, stored.under_way,
        stored.crash_count, stored.at, stored.steps)
      IS DISTINCT FROM (excluded.status, excluded.reason, excluded.next_at, excluded.attempts, excluded.uncounted,
        false, excluded.crash_count, excluded.at, excluded.steps)
    RETURNING tag, at, script, name, status, reason, bodies
  )
  ${countAttempted}`

const ended = arrayRows('ended', {
  ...({ id: 'text', status: 'text', reason: 'text', next_at: 'int8', uncounted: 'int4' } as const),
  ...({ is_crash: 'bool', at: 'int8', steps: 'text' } as const),
})

/** Updates deliveries by their ids, which are locked in the order of their places. */
const updateDeliveries = `
  WITH ended AS MATERIALIZED (
    SELECT delivery.position, delivery.idx, delivery.script, delivery.status AS old_status, delivery.reason AS old_reason,
      delivery.at AS old_at, ended.*
    FROM ${ended.from} JOIN delivery ON delivery.id = ended.id
    ORDER BY delivery.position, delivery.idx, delivery.script FOR UPDATE OF delivery
  ), changed AS (
    UPDATE delivery SET status = ended.status, reason = ended.reason,
      next_at = CASE WHEN ended.status = 'pending' THEN coalesce(ended.next_at, delivery.next_at) END,
      uncounted = delivery.uncounted + ended.uncounted,
      priority = CASE WHEN delivery.attempts > 0 THEN greatest(delivery.priority, 1) ELSE delivery.priority END,
      under_way = false,
      crash_count = CASE WHEN ended.is_crash THEN delivery.crash_count + 1 ELSE 0 END, at = coalesce(ended.at,
      delivery.at),
      steps = ended.steps
    FROM ended
    WHERE delivery.position = ended.position AND delivery.idx = ended.idx AND delivery.script = ended.script
    RETURNING delivery.tag, delivery.at, delivery.script, delivery.name, delivery.status, delivery.reason,
      (delivery.status, delivery.reason, delivery.at) IS DISTINCT FROM (old_status, old_reason, old_at) AS is_new_state
  )
  ${countChanged}`

function endedColumns(outcome: DeliveryOutcome) {
  const { deliveryId, status, reason = null, nextAt = null, isUncounted, isCrash = false } = outcome
  return [deliveryId, status, reason, nextAt, isUncounted ? 1 : 0, isCrash, outcomeAt(outcome), stepsOf(outcome)]
}

/**
 * Splits outcomes into groups in which no delivery occurs twice, because a statement can change a row only once. Nearly
 * always one group.
 */
function withoutRepeats(outcomes: readonly DeliveryOutcome[]): DeliveryOutcome[][] {
  const groups: DeliveryOutcome[][] = []
  const seen = new Map<string, number>()
  for (const outcome of outcomes) {
    const group = seen.get(outcome.deliveryId) ?? 0
    seen.set(outcome.deliveryId, group + 1)
    groups[group] ??= []
    groups[group].push(outcome)
  }
  return groups
}

/** Returns the counts to add, and the packs that rows now refer to. */
async function writeStates(
  sql: Sql,
  outcomes: readonly DeliveryOutcome[],
  packNumbers: readonly number[],
): Promise<{ counts: CountedDeliveries[]; usedPacks: number[] }> {
  const values = outcomes.flatMap((each) => (each.delivery ? [outcomeValues(each, each.delivery, packNumbers)] : []))
  const others = outcomes.filter(({ delivery }) => !delivery).map(endedColumns)
  const rows: QueryRow[] = []
  if (values.length > 0) rows.push(...(await sql(upsertDeliveries, attempted.params(values))))
  const usedPacks = rows.map(({ bodies }) => Number(bodies))
  if (others.length > 0) rows.push(...(await sql(updateDeliveries, ended.params(others))))
  return { counts: rows.map(readCountedDeliveries).filter(isCounted), usedPacks }
}

/**
 * Writes the states of deliveries, their attempts, packs and counts. `mayInsert`: inserts rows of first attempts
 * without looking for existing ones. That throws a DatabaseError (isDuplicate) if another process has just stored one.
 */
export async function writeOutcomes(
  sql: Sql,
  outcomes: readonly DeliveryOutcome[],
  packs: readonly ExchangePack[] = [],
  mayInsert = true,
): Promise<void> {
  const packNumbers = await insertPacks(sql, packs)
  const counts: CountedDeliveries[] = []
  const usedPacks = new Set<number>()
  for (const [n, group] of withoutRepeats(outcomes).entries()) {
    const inserted = await insertFirstOutcomes(sql, mayInsert && n === 0 ? group : [], packNumbers)
    const written = await writeStates(
      sql,
      group.filter((each) => !inserted.outcomes.has(each)),
      packNumbers,
    )
    counts.push(...inserted.counts, ...written.counts)
    for (const no of [...inserted.usedPacks, ...written.usedPacks]) usedPacks.add(no)
  }
  for (const no of await insertAttempts(sql, outcomes, packNumbers)) usedPacks.add(no)
  await dropUnusedPacks(sql, outcomes, packNumbers, usedPacks)
  await addDeliveryCounts(sql, counts)
}
