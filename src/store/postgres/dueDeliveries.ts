import { allSlots, slotOf } from '#cluster/slotOf.ts'
import type { Database, QueryRow } from '#postgres/database.ts'
import type { Ownership } from '#postgres/ownership.ts'
import { priorityNumber, readDue, readNextDue } from '#store/sql/deliveryRows.ts'
import { type DueDelivery, type DueRequest, type Journal, priorities } from '#store/store.ts'
import type { PlannedLists } from './plannedDeliveries.ts'

/** A loose index scan: seeks from one script of a slot to the next, instead of reading every due row. */
const selectNextDue = `
  WITH RECURSIVE waiting (slot, script) AS (
    SELECT first.slot, first.script FROM unnest($2::int[]) AS own (slot) CROSS JOIN LATERAL (
      SELECT slot, script FROM delivery WHERE status = 'pending' AND slot = own.slot ORDER BY slot, script LIMIT 1
    ) AS first
    UNION ALL
    SELECT waiting.slot, (
      SELECT script FROM delivery
      WHERE status = 'pending' AND slot = waiting.slot AND script > waiting.script ORDER BY slot, script LIMIT 1
    ) FROM waiting WHERE waiting.script IS NOT NULL
  )
  SELECT * FROM (
    SELECT waiting.script, priorities.priority, (
      SELECT delivery.next_at FROM delivery
      WHERE status = 'pending' AND slot = waiting.slot AND script = waiting.script
        AND priority = priorities.priority AND next_at > $1
      ORDER BY slot, script, priority, next_at LIMIT 1
    ) AS next_at
    FROM waiting CROSS JOIN (VALUES (0::smallint), (1::smallint), (2::smallint)) AS priorities (priority)
    WHERE waiting.script IS NOT NULL
  ) AS next WHERE next_at IS NOT NULL`

const selectDue = `
  SELECT request.no, waiting.*, event.received_at
  FROM unnest($1::text[], $2::smallint[], $3::int[], $4::int[]) AS request (script, priority, count,
  no) CROSS JOIN LATERAL (
    SELECT * FROM delivery
    WHERE status = 'pending' AND script = request.script AND priority = request.priority AND next_at <= $5
      AND slot = ANY($6)
    ORDER BY script, priority, next_at LIMIT request.count
  ) AS waiting
    JOIN event ON event.tag = waiting.tag AND event.position = waiting.position AND event.idx = waiting.idx
  ORDER BY request.no, waiting.priority, waiting.next_at`

/** A delivery is due after its event is received, so the index on `next_at` limits the search for old events. */
const selectOverdue = `
  SELECT delivery.*, event.received_at FROM delivery
    JOIN event ON event.tag = delivery.tag AND event.position = delivery.position AND event.idx = delivery.idx
  WHERE delivery.status = 'pending' AND delivery.script = $1 AND delivery.priority = $2 AND delivery.next_at <= $3
    AND delivery.slot = ANY($6) AND event.received_at <= $4
  LIMIT $5`

function toDue(row: QueryRow): DueDelivery {
  const due = readDue(row, row.tag, row.script)
  return row.slot === slotOf(due.tagId) ? due : { ...due, slot: Number(row.slot) }
}

type DueColumns = [scripts: string[], priorities: number[], counts: number[], numbers: number[]]

/** One row for each request and priority. */
function dueColumns(requests: readonly DueRequest[]): DueColumns {
  const columns: DueColumns = [[], [], [], []]
  for (const [no, { scriptId, priority, limit }] of requests.entries())
    for (const each of priority ? [priority] : priorities)
      for (const [column, value] of [scriptId, priorityNumber(each), limit, no].entries())
        (columns[column] as (string | number)[]).push(value)
  return columns
}

/** The due deliveries in the slots of a worker, or in all slots if there is no ownership. */
export const createDueQueries = (
  { sql }: Database,
  ownership: Ownership | undefined,
  planned: PlannedLists,
): Pick<Journal, 'nextDue' | 'due' | 'overdue' | 'pendingCount'> => {
  const slots = () => ownership?.slots() ?? allSlots
  return {
    async nextDue(afterMs) {
      await planned.storeAll()
      const rows = await sql(selectNextDue, [afterMs, slots()])
      return rows.map(readNextDue)
    },
    async due(requests, nowMs) {
      const firstAttempts = requests.filter(({ priority = 'new' }) => priority === 'new')
      if (firstAttempts.length > 0) await planned.storeAll(firstAttempts.map(({ scriptId }) => scriptId))
      const rows = await sql(selectDue, [...dueColumns(requests), nowMs, slots()])
      const found = requests.map((): DueDelivery[] => [])
      for (const row of rows) found[Number(row.no)]!.push(toDue(row))
      return found.map((due, no) => due.slice(0, requests[no]!.limit))
    },
    async overdue(scriptId, priority, { dueMs, receivedMs }, limit) {
      await planned.storeAll([scriptId])
      const params = [scriptId, priorityNumber(priority), dueMs, receivedMs, limit, slots()]
      return (await sql(selectOverdue, params)).map(toDue)
    },
    async pendingCount() {
      await planned.storeAll()
      const [row] = await sql(selectPendingCount, [slots()])
      return Number(row!.count)
    },
  }
}

const selectPendingCount = `SELECT count(*) AS count FROM delivery WHERE status = 'pending' AND slot = ANY($1)`
