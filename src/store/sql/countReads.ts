import type { Stats } from '#contract/stats.ts'
import { minutesOf, minutesOfStep } from '#store/countRange.ts'
import type {
  DeliveryCount,
  EventCount,
  IssueCount,
  JournalCounts,
  RefusedCount,
  TagCounts,
} from '#store/deliveryQueries.ts'
import { latencyKinds } from '#store/intake.ts'
import { createStatsSums, type StatsRequest } from '#store/stats.ts'
import type { Dialect } from './dialect.ts'
import type { Read } from './read.ts'
import { withoutNulls } from './rowMappings.ts'
import type { SqlRow } from './sql.ts'

const minuteMs = 60_000
/** `?4`: minutes per step. */
const stepOf = 'minute - minute % ?4'

/** Sums of a table of counts from the minute `?2` to `?3`, by some columns: `step`, `script`, `tag` or others. */
export function selectSums({ idOf }: Dialect, table: string, columns: readonly string[], where: string): string {
  const selected = columns.map((name) => {
    if (name === 'step') return `${stepOf} AS step`
    return name === 'script' || name === 'tag' ? `${idOf(name)} AS ${name}_id` : name
  })
  const groups = columns.map((name) => (name === 'step' ? stepOf : name))
  return `SELECT ${selected.join(', ')}, CAST(sum(count) AS bigint) AS count FROM ${table}
    WHERE ${where} AND minute >= ?2 AND minute < ?3 GROUP BY ${groups.join(', ')}`
}

/** Epoch ms. */
export const stepAt = (row: SqlRow): number => Number(row.step) * minuteMs
const counted = (row: SqlRow) => ({ at: stepAt(row), count: Number(row.count) })

const readEventCount = (row: SqlRow): EventCount => ({ ...counted(row), eventName: String(row.name) })
const readDeliveryCount = (row: SqlRow) =>
  withoutNulls<DeliveryCount>({
    ...counted(row),
    scriptId: row.script_id,
    eventName: row.name,
    status: row.status,
    reason: row.reason || null,
  })
const readIssueCount = (row: SqlRow): IssueCount => ({
  eventName: String(row.name),
  path: String(row.path),
  message: String(row.message),
  count: Number(row.count),
})
const readRefusedCount = (row: SqlRow): RefusedCount => ({ ...counted(row), of: row.scope as RefusedCount['of'] })
const readLatencyCount = (row: SqlRow): JournalCounts['latencies'][number] => ({
  ...counted(row),
  scriptId: String(row.script_id),
  kind: latencyKinds[Number(row.kind)]!,
  bucket: Number(row.bucket),
})

/** Reads are kept small, because the thread of their connection parses and sums the rows. */
const wantedRows = 2_000

/** The minutes of the next read: twice as many after a small read, half as many after one that was too large. */
function nextMinutes(minutes: number, counts: JournalCounts, isLong: boolean): number {
  const rows = Object.values(counts).reduce((sum, list) => sum + list.length, 0)
  if (rows > wantedRows || isLong) return Math.max(1, Math.floor(minutes / 2))
  return rows < wantedRows / 4 ? minutes * 2 : minutes
}

export function readStats(dialect: Dialect) {
  const ofTag = `tag = ${dialect.ref('?1')}`
  const select = (table: string, ...columns: string[]) => selectSums(dialect, table, columns, ofTag)
  const selectEvents = select('event_count', 'step', 'name')
  const selectDeliveries = select('delivery_count', 'step', 'script', 'name', 'status', 'reason')
  const selectIssues = select('issue_count', 'name', 'path', 'message')
  const selectLatencies = select('latency_count', 'step', 'script', 'kind', 'bucket')
  const selectRefused = select('refused_count', 'step', 'scope')
  return function* (tagId: string, request: StatsRequest): Read<Stats> {
    const stepMinutes = minutesOfStep[request.step]
    const sums = createStatsSums(request)
    const [start, end] = minutesOf(request)
    let minutes = 60
    for (let minute = start; minute < end; ) {
      const until = Math.min(end, minute + minutes)
      const startedAt = performance.now()
      const range = [tagId, minute, until] as const
      const steps = [...range, stepMinutes] as const
      const counts = {
        events: (yield [selectEvents, ...steps]).map(readEventCount),
        deliveries: (yield [selectDeliveries, ...steps]).map(readDeliveryCount),
        issues: (yield [selectIssues, ...range]).map(readIssueCount),
        latencies: (yield [selectLatencies, ...steps]).map(readLatencyCount),
        refused: (yield [selectRefused, ...steps]).map(readRefusedCount),
      }
      sums.add(counts)
      minutes = nextMinutes(minutes, counts, performance.now() - startedAt > dialect.longReadMs)
      minute = until
    }
    return sums.result()
  }
}

/** The tags of one read. */
const tagsPerRead = 20

/** The counts of several tags by step, without scripts, names and reasons. */
export function readTeamCounts(dialect: Dialect) {
  const ofTags = dialect.isRefOf('tag', '?1')
  const selectEvents = selectSums(dialect, 'event_count', ['tag', 'step'], ofTags)
  const selectDeliveries = selectSums(dialect, 'delivery_count', ['tag', 'step', 'status'], ofTags)
  const selectRefused = selectSums(dialect, 'refused_count', ['tag', 'scope'], ofTags)
  return function* (tagIds: readonly string[], request: Pick<StatsRequest, 'from' | 'to' | 'step'>): Read<TagCounts[]> {
    const counts: TagCounts[] = []
    for (let first = 0; first < tagIds.length; first += tagsPerRead) {
      const some = tagIds.slice(first, first + tagsPerRead)
      const range = [JSON.stringify(some), ...minutesOf(request)] as const
      const byTag = (rows: readonly SqlRow[]) => Map.groupBy(rows, ({ tag_id }) => String(tag_id))
      const events = byTag(yield [selectEvents, ...range, minutesOfStep[request.step]])
      const deliveries = byTag(yield [selectDeliveries, ...range, minutesOfStep[request.step]])
      const refused = byTag(yield [selectRefused, ...range])
      for (const tagId of some)
        counts.push({
          tagId,
          events: (events.get(tagId) ?? []).map(counted),
          deliveries: (deliveries.get(tagId) ?? []).map((row) => {
            return { ...counted(row), status: row.status as DeliveryCount['status'] }
          }),
          refused: (refused.get(tagId) ?? []).map((row) => {
            return { of: row.scope as RefusedCount['of'], count: Number(row.count) }
          }),
        })
    }
    return counts
  }
}
