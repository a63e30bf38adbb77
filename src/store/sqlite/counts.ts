import type { Issue } from '#contract/schema.ts'
import { breath } from '#kit/breath.ts'
import type { Statement } from '#kit/units.ts'
import type { Counts, DeliveryCount, EventCount, IssueCount } from '#store/found.ts'
import type { Settled } from '#store/store.ts'
import type { Read, Row } from './read.ts'
import { present } from './rows.ts'

const minuteMs = 60_000
/** So many minutes are read in one go: nobody waits long for who asks for a month. */
const minutesAtOnce = 360

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

/** What was counted of a tag. A step may come in several rows. */
export async function countsOf(
  read: Read,
  tagId: string,
  { fromMs, toMs, stepMinutes }: { fromMs: number; toMs: number; stepMinutes: number },
): Promise<Counts> {
  const tag = Number(read.one('SELECT no FROM ref WHERE id = ?', tagId)?.no ?? 0)
  const counts: Counts = { events: [], deliveries: [], issues: [] }
  const end = Math.ceil(toMs / minuteMs)
  for (let minute = Math.floor(fromMs / minuteMs); minute < end; minute += minutesAtOnce) {
    const until = Math.min(end, minute + minutesAtOnce)
    counts.events.push(...read.all(events, tag, minute, until, stepMinutes).map(eventCount))
    counts.deliveries.push(...read.all(deliveries, tag, minute, until, stepMinutes).map(deliveryCount))
    counts.issues.push(...read.all(issues, tag, minute, until).map(issueCount))
    await breath()
  }
  return counts
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
