import type { DeliveryStatus } from '#contract/deliveryStatus.ts'
import { minutesOf, minutesOfStep } from '#store/countRange.ts'
import type { TagCounts } from '#store/deliveryQueries.ts'
import type { StatsRequest } from '#store/stats.ts'
import type { SqlReader } from './sqlReader.ts'

const minuteMs = 60_000
const span = 'tag = ?1 AND minute >= ?2 AND minute < ?3'
const step = 'minute - minute % ?4'
const selectEvents = `SELECT ${step} AS step, sum(count) AS count FROM event_count WHERE ${span} GROUP BY 1`
const selectDeliveries = `
  SELECT ${step} AS step, status, sum(count) AS count FROM delivery_count WHERE ${span} GROUP BY 1, 2`
const selectRefused = `SELECT scope, sum(count) AS count FROM refused_count WHERE ${span} GROUP BY 1`

/** The counts of several tags by step, without scripts, names and reasons. */
export function readTeamCounts(
  read: SqlReader,
  tagIds: readonly string[],
  request: Pick<StatsRequest, 'from' | 'to' | 'step'>,
): TagCounts[] {
  const [from, to] = minutesOf(request)
  return tagIds.map((tagId) => {
    const tag = Number(read.one('SELECT no FROM ref WHERE id = ?', tagId)?.no ?? 0)
    const range = [tag, from, to, minutesOfStep[request.step]]
    return {
      tagId,
      events: read.all(selectEvents, ...range).map((row) => {
        return { at: Number(row.step) * minuteMs, count: Number(row.count) }
      }),
      deliveries: read.all(selectDeliveries, ...range).map((row) => {
        return { at: Number(row.step) * minuteMs, status: row.status as DeliveryStatus, count: Number(row.count) }
      }),
      refused: read.all(selectRefused, tag, from, to).map((row) => {
        return { of: row.scope as 'team' | 'tag', count: Number(row.count) }
      }),
    }
  })
}
