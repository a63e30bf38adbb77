import type { Stats } from '#contract/stats.ts'
import type { QueryRow, Sql } from '#postgres/database.ts'
import { minutesOf, minutesOfStep } from '#store/countRange.ts'
import type { DeliveryCount, EventCount, IssueCount, JournalCounts, RefusedCount } from '#store/deliveryQueries.ts'
import { latencyKinds } from '#store/intake.ts'
import { withoutNulls } from '#store/sql/rowMappings.ts'
import { createStatsSums, type StatsRequest } from '#store/stats.ts'

const minuteMs = 60_000

/** $4 is the number of minutes of a step. */
const step = 'minute - minute % $4 AS step'
const counted = (table: string, columns: string) => `
  SELECT ${columns}, sum(count)::bigint AS count FROM ${table}
  WHERE tag = $1 AND minute >= $2 AND minute < $3 GROUP BY ${columns.replace(' AS step', '')}`

const selectEvents = counted('event_count', `name, ${step}`)
const selectDeliveries = counted('delivery_count', `script, name, status, reason, ${step}`)
const selectIssues = counted('issue_count', 'name, path, message')
const selectRefused = counted('refused_count', `scope, ${step}`)
const selectLatencies = counted('latency_count', `script, kind, bucket, ${step}`)

const atOf = (row: QueryRow) => Number(row.step) * minuteMs

const readEventCount = (row: QueryRow): EventCount => ({
  at: atOf(row),
  eventName: String(row.name),
  count: Number(row.count),
})
const readDeliveryCount = (row: QueryRow) =>
  withoutNulls<DeliveryCount>({
    at: atOf(row),
    scriptId: row.script,
    eventName: row.name,
    status: row.status,
    reason: row.reason || null,
    count: row.count,
  })
const readIssueCount = (row: QueryRow): IssueCount => ({
  eventName: String(row.name),
  path: String(row.path),
  message: String(row.message),
  count: Number(row.count),
})
const readRefusedCount = (row: QueryRow): RefusedCount => ({
  at: atOf(row),
  of: row.scope as RefusedCount['of'],
  count: Number(row.count),
})
const readLatencyCount = (row: QueryRow): JournalCounts['latencies'][number] => ({
  at: atOf(row),
  scriptId: String(row.script),
  kind: latencyKinds[Number(row.kind)]!,
  bucket: Number(row.bucket),
  count: Number(row.count),
})

async function readCounts(sql: Sql, tagId: string, range: readonly [number, number], stepMinutes: number) {
  const inRange = [tagId, ...range]
  const inSteps = [...inRange, stepMinutes]
  return {
    events: (await sql(selectEvents, inSteps)).map(readEventCount),
    deliveries: (await sql(selectDeliveries, inSteps)).map(readDeliveryCount),
    issues: (await sql(selectIssues, inRange)).map(readIssueCount),
    latencies: (await sql(selectLatencies, inSteps)).map(readLatencyCount),
    refused: (await sql(selectRefused, inSteps)).map(readRefusedCount),
  }
}

/** The rows of one read stay few, because this thread parses and sums them. */
const wantedRows = 2_000

/** The number of minutes of the next read: twice as many after few rows, half as many after too many. */
function nextMinutes(minutes: number, counts: JournalCounts): number {
  const rows = Object.values(counts).reduce((sum, list) => sum + list.length, 0)
  if (rows > wantedRows) return Math.max(1, Math.floor(minutes / 2))
  return rows < wantedRows / 4 ? minutes * 2 : minutes
}

/** Sums up the counts of a tag. */
export async function readStats(sql: Sql, tagId: string, request: StatsRequest): Promise<Stats> {
  const sums = createStatsSums(request)
  const [start, end] = minutesOf(request)
  let minutes = 60
  for (let minute = start; minute < end; ) {
    const until = Math.min(end, minute + minutes)
    const counts = await readCounts(sql, tagId, [minute, until], minutesOfStep[request.step])
    sums.add(counts)
    minutes = nextMinutes(minutes, counts)
    minute = until
  }
  return sums.result()
}
