import type { Issue } from '#contract/schema.ts'
import type { Stats } from '#contract/stats.ts'
import type { Statement } from '#kit/writeBatch.ts'
import { minutesOf, minutesOfStep } from '#store/countRange.ts'
import type { DeliveryCount, EventCount, IssueCount, RefusedCount } from '#store/deliveryQueries.ts'
import { type LatencyCount, latencyKinds } from '#store/intake.ts'
import { withoutNulls } from '#store/sql/rowMappings.ts'
import { createStatsSums, type StatsRequest } from '#store/stats.ts'
import type { DeliveryOutcome } from '#store/store.ts'
import { keyParams } from './refs.ts'
import type { SqlReader, SqlRow } from './sqlReader.ts'

const minuteMs = 60_000

const span = 'tag = ?1 AND minute >= ?2 AND minute < ?3'
/** `?4` is the number of minutes of a step. */
const step = 'minute - minute % ?4'
const events = `SELECT ${step} AS step, name, sum(count) AS count FROM event_count WHERE ${span} GROUP BY 1, 2`
const deliveries = `
  SELECT step, name, status, nullif(reason, '') AS reason, count, ref.id AS script_id FROM (
    SELECT ${step} AS step, script, name, status, reason, sum(count) AS count
    FROM delivery_count WHERE ${span} GROUP BY 1, 2, 3, 4, 5
  ) AS counted JOIN ref ON ref.no = counted.script`
const issues = `SELECT name, path, message, sum(count) AS count FROM issue_count WHERE ${span} GROUP BY 1, 2, 3`

const selectRefused = `SELECT ${step} AS step, scope, sum(count) AS count FROM refused_count WHERE ${span} GROUP BY 1, 2`

const selectLatencies = `
  SELECT step, kind, bucket, count, ref.id AS script_id FROM (
    SELECT ${step} AS step, script, kind, bucket, sum(count) AS count FROM latency_count WHERE ${span} GROUP BY 1, 2, 3, 4
  ) AS counted JOIN ref ON ref.no = counted.script`

const readEventCount = (row: SqlRow) =>
  withoutNulls<EventCount>({ at: Number(row.step) * minuteMs, eventName: row.name, count: row.count })
const readDeliveryCount = (row: SqlRow) =>
  withoutNulls<DeliveryCount>({
    at: Number(row.step) * minuteMs,
    scriptId: row.script_id,
    eventName: row.name,
    status: row.status,
    reason: row.reason,
    count: row.count,
  })
const readIssueCount = (row: SqlRow) =>
  withoutNulls<IssueCount>({ eventName: row.name, path: row.path, message: row.message, count: row.count })

const readRefusedCount = (row: SqlRow) =>
  withoutNulls<RefusedCount>({ at: Number(row.step) * minuteMs, of: row.scope, count: row.count })

const readLatencyCount = (row: SqlRow): Omit<LatencyCount, 'tagId'> => ({
  at: Number(row.step) * minuteMs,
  scriptId: String(row.script_id),
  kind: latencyKinds[Number(row.kind)]!,
  bucket: Number(row.bucket),
  count: Number(row.count),
})

/**
 * Adapts the number of minutes of the next read. Statements stay short, because a thread can only be ended between
 * them, and a long range with few counts is read in few statements.
 */
function nextMinutes(minutes: number, tookMs: number): number {
  if (tookMs > 50) return Math.max(1, Math.floor(minutes / 2))
  return tookMs < 10 ? minutes * 2 : minutes
}

/** Sums up the counts of a tag. */
export function readStats(read: SqlReader, tagId: string, request: StatsRequest): Stats {
  const tag = Number(read.one('SELECT no FROM ref WHERE id = ?', tagId)?.no ?? 0)
  const stepMinutes = minutesOfStep[request.step]
  const sums = createStatsSums(request)
  const [start, end] = minutesOf(request)
  let minutes = 60
  for (let minute = start; minute < end; ) {
    const until = Math.min(end, minute + minutes)
    const startedAt = performance.now()
    sums.add({
      events: read.all(events, tag, minute, until, stepMinutes).map(readEventCount),
      deliveries: read.all(deliveries, tag, minute, until, stepMinutes).map(readDeliveryCount),
      issues: read.all(issues, tag, minute, until).map(readIssueCount),
      latencies: read.all(selectLatencies, tag, minute, until, stepMinutes).map(readLatencyCount),
      refused: read.all(selectRefused, tag, minute, until, stepMinutes).map(readRefusedCount),
    })
    minutes = nextMinutes(minutes, performance.now() - startedAt)
    minute = until
  }
  return sums.result()
}

/**
 * Runs before the attempt is inserted: an existing attempt was already counted. Uses the names that are counted
 * separately on that day (0011-counted-names.sql); the update of the delivery, which runs earlier, has added the
 * event's name to them.
 */
const insertIssueCount = `
  INSERT INTO issue_count (tag, minute, name, path, message, count)
  SELECT event.tag, ?1, iif(
    EXISTS (SELECT 1 FROM own_name WHERE own_name.name = event.name) OR EXISTS (
      SELECT 1 FROM counted_name
      WHERE day = CAST(?1 AS INTEGER) / 1440 AND counted_name.tag = event.tag AND counted_name.name = event.name
    ), name, '(other)'
  ), ?2, ?3, 1 FROM delivery JOIN event USING (tag, position, idx)
  WHERE delivery.position = ?4 AND delivery.idx = ?6 AND delivery.script IN (SELECT no FROM ref WHERE code = ?7)
    AND NOT EXISTS (
      SELECT 1 FROM every_attempt AS attempt
      WHERE attempt.position = ?4 AND attempt.idx = ?6 AND attempt.script = delivery.script AND attempt.number = ?5
    )
  ON CONFLICT DO UPDATE SET count = count + 1`

/** Replaces list indexes by `*`, as in `data.contents.*.id`. */
const issuePath = ({ path }: Issue) => path.replace(/(?<=^|\.)\d+(?=\.|$)/g, '*')

/** Counts the issues of attempts. */
export const issueCountStatement = (outcomes: readonly DeliveryOutcome[]): Statement => ({
  sql: insertIssueCount,
  rows: outcomes.flatMap(({ deliveryId, attempt }) => {
    const { at = 0, number = 0, issues = [] } = attempt ?? {}
    const [position, idx, code] = keyParams(deliveryId)
    const minute = Math.floor(at / minuteMs)
    return issues.map((issue) => [minute, issuePath(issue), issue.message, position, number, idx, code])
  }),
})
