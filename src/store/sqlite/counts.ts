import type { Stats } from '#contract/delivery.ts'
import type { Issue } from '#contract/schema.ts'
import type { Statement } from '#kit/units.ts'
import type { DeliveryCount, EventCount, IssueCount, RefusedCount } from '#store/found.ts'
import { type StatsAsked, sumStats } from '#store/stats.ts'
import type { Settled } from '#store/store.ts'
import type { Read, Row } from './read.ts'
import { present } from './rows.ts'

const minuteMs = 60_000
const minutesOf = { minute: 1, hour: 60, day: 24 * 60 } as const

const span = 'tag = ?1 AND minute >= ?2 AND minute < ?3'
/** `?4`: the minutes of a step. */
const step = 'minute - minute % ?4'
const events = `SELECT ${step} AS step, name, sum(count) AS count FROM event_count WHERE ${span} GROUP BY 1, 2`
const deliveries = `
  SELECT step, name, status, nullif(reason, '') AS reason, count, ref.id AS script_id FROM (
    SELECT ${step} AS step, script, name, status, reason, sum(count) AS count
    FROM delivery_count WHERE ${span} GROUP BY 1, 2, 3, 4, 5
  ) AS counted JOIN ref ON ref.no = counted.script`
const issues = `SELECT name, path, message, sum(count) AS count FROM issue_count WHERE ${span} GROUP BY 1, 2, 3`

const refused = `SELECT ${step} AS step, whose, sum(count) AS count FROM refused_count WHERE ${span} GROUP BY 1, 2`

const eventCount = (row: Row) =>
  present<EventCount>({ at: Number(row.step) * minuteMs, eventName: row.name, count: row.count })
const deliveryCount = (row: Row) =>
  present<DeliveryCount>({
    at: Number(row.step) * minuteMs,
    scriptId: row.script_id,
    eventName: row.name,
    status: row.status,
    reason: row.reason,
    count: row.count,
  })
const issueCount = (row: Row) =>
  present<IssueCount>({ eventName: row.name, path: row.path, message: row.message, count: row.count })

const refusedCount = (row: Row) =>
  present<RefusedCount>({ at: Number(row.step) * minuteMs, of: row.whose, count: row.count })

/**
 * How many minutes are read next: a thread that is to end waits for the statement that it is in, and a long time of which little
 * was counted is read in few statements.
 */
function nextMinutes(minutes: number, tookMs: number): number {
  if (tookMs > 50) return Math.max(1, Math.floor(minutes / 2))
  return tookMs < 10 ? minutes * 2 : minutes
}

/** What was counted of a tag, summed up. */
export function statsOf(read: Read, tagId: string, asked: StatsAsked): Stats {
  const tag = Number(read.one('SELECT no FROM ref WHERE id = ?', tagId)?.no ?? 0)
  const stepMinutes = minutesOf[asked.step]
  const sums = sumStats(asked)
  const end = Math.ceil(asked.to / minuteMs)
  let minutes = 60
  for (let minute = Math.floor(asked.from / minuteMs); minute < end; ) {
    const until = Math.min(end, minute + minutes)
    const begun = performance.now()
    sums.add({
      events: read.all(events, tag, minute, until, stepMinutes).map(eventCount),
      deliveries: read.all(deliveries, tag, minute, until, stepMinutes).map(deliveryCount),
      issues: read.all(issues, tag, minute, until).map(issueCount),
      refused: read.all(refused, tag, minute, until, stepMinutes).map(refusedCount),
    })
    minutes = nextMinutes(minutes, performance.now() - begun)
    minute = until
  }
  return sums.result()
}

/**
 * Before the attempt itself: one that is there already was counted when it was written. By the names that are counted by
 * themselves on that day (0011-counted-names.sql): the outcome, written before, has given the event's name its place.
 */
const countIssue = `
  INSERT INTO issue_count (tag, minute, name, path, message, count)
  SELECT tag, ?1, iif(
    EXISTS (SELECT 1 FROM own_name WHERE own_name.name = delivery.name) OR EXISTS (
      SELECT 1 FROM counted_name
      WHERE day = CAST(?1 AS INTEGER) / 1440 AND counted_name.tag = delivery.tag AND counted_name.name = delivery.name
    ), name, '(other)'
  ), ?2, ?3, 1 FROM delivery
  WHERE id = ?4 AND NOT EXISTS (SELECT 1 FROM attempt WHERE attempt.delivery = delivery.no AND attempt.number = ?5)
  ON CONFLICT DO UPDATE SET count = count + 1`

/** Places in lists are one place: `data.contents.*.id`. */
const placeOf = ({ path }: Issue) => path.replace(/(?<=^|\.)\d+(?=\.|$)/g, '*')

/** What counts the issues that attempts have recorded. */
export const issuesCounted = (outcomes: readonly Settled[]): Statement => ({
  sql: countIssue,
  rows: outcomes.flatMap(({ deliveryId, attempt }) => {
    const { at = 0, number = 0, issues = [] } = attempt ?? {}
    return issues.map((issue) => [Math.floor(at / minuteMs), placeOf(issue), issue.message, deliveryId, number])
  }),
})
