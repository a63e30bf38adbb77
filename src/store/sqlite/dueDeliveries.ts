import { priorityNumber, readDue, readNextDue } from '#store/sql/deliveryRows.ts'
import { type DueDelivery, type DueRequest, type Journal, priorities } from '#store/store.ts'
import type { JournalWriter } from './fold/journalWriter.ts'
import { selectId, selectRef } from './refs.ts'
import type { SqlReader, SqlRow } from './sqlReader.ts'

/** A loose index scan: seeks from one script to the next, instead of reading every due row. */
const selectNextDue = (isDue: string) => `
  WITH RECURSIVE waiting (script) AS (
    SELECT min(script) FROM delivery WHERE ${isDue}
    UNION ALL
    SELECT (SELECT min(script) FROM delivery WHERE ${isDue} AND script > waiting.script)
    FROM waiting WHERE waiting.script IS NOT NULL
  ),
  priority (priority) AS (VALUES (0), (1), (2))
  SELECT ref.id AS script, next.priority, next.at AS next_at FROM (
    SELECT script, priority.priority, (
      SELECT min(next_at) FROM delivery
      WHERE ${isDue} AND script = waiting.script AND delivery.priority = priority.priority AND next_at > ?1
    ) AS at FROM waiting, priority WHERE script IS NOT NULL
  ) AS next JOIN ref ON ref.no = next.script WHERE next.at IS NOT NULL`
const selectEveryNext = selectNextDue(`status = 'pending'`)
/**
 * Leaves out the deliveries that the dispatcher knows: those in flight, and those that it got with their plan. With many
 * channels, these are most of the pending ones.
 */
const selectLaterNext = selectNextDue(`status = 'pending' AND under_way = 0`)

const selectRows = `
  SELECT delivery.*, event.received_at, tag.id AS tag_id, script.id AS script_id, provider.id AS provider, ${selectId} AS id
  FROM delivery JOIN event USING (tag, position, idx)
    JOIN ref AS tag ON tag.no = delivery.tag JOIN ref AS script ON script.no = delivery.script
    JOIN ref AS provider ON provider.no = delivery.provider`

const selectDue = `${selectRows}
  WHERE delivery.status = 'pending' AND delivery.script = ${selectRef} AND delivery.priority = ?
    AND delivery.next_at <= ?
  ORDER BY delivery.next_at LIMIT ?`

/** A delivery is due after its event is received, so the index on `next_at` limits the search for old events. */
const selectOverdue = `${selectRows}
  WHERE delivery.status = 'pending' AND delivery.script = ${selectRef} AND delivery.priority = ?
    AND delivery.next_at <= ?
    AND event.received_at <= ?
  LIMIT ?`

const toDue = (row: SqlRow): DueDelivery => readDue(row, row.tag_id, row.script_id)

function readRequest(read: SqlReader, { scriptId, priority, limit }: DueRequest, nowMs: number): DueDelivery[] {
  const found: DueDelivery[] = []
  for (const each of priority ? [priority] : priorities)
    found.push(...read.all(selectDue, scriptId, priorityNumber(each), nowMs, limit - found.length).map(toDue))
  return found
}

export const createDueQueries = (
  read: SqlReader,
  { fold, unfolded }: Pick<JournalWriter, 'fold' | 'unfolded'>,
): Pick<Journal, 'nextDue' | 'due' | 'overdue'> => ({
  async nextDue(afterMs) {
    if (unfolded.hasRetry()) await fold()
    return read.all(afterMs < 0 ? selectEveryNext : selectLaterNext, afterMs).map(readNextDue)
  },
  async due(requests, nowMs) {
    if (requests.some(({ scriptId }) => unfolded.hasScript(scriptId))) await fold()
    return requests.map((request) => readRequest(read, request, nowMs))
  },
  async overdue(scriptId, priority, { dueMs, receivedMs }, limit) {
    if (unfolded.hasScript(scriptId)) await fold()
    return read.all(selectOverdue, scriptId, priorityNumber(priority), dueMs, receivedMs, limit).map(toDue)
  },
})
