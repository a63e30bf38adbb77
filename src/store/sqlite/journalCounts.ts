import type { Issue } from '#contract/schema.ts'
import type { Statement } from '#kit/writeBatch.ts'
import type { DeliveryOutcome } from '#store/store.ts'
import { keyParams } from './refs.ts'

const minuteMs = 60_000

/**
 * Runs before the attempt is inserted: an existing attempt was already counted. Uses the names that are counted
 * separately on that day; the update of the delivery, which runs earlier, has added the
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
