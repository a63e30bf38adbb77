import type { DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { Sql } from '#postgres/database.ts'
import { minutesOf, minutesOfStep } from '#store/countRange.ts'
import type { TagCounts } from '#store/deliveryQueries.ts'
import type { StatsRequest } from '#store/stats.ts'

const minuteMs = 60_000
const span = 'tag = ANY($1::text[]) AND minute >= $2 AND minute < $3'
const step = 'minute - minute % $4'
const count = 'sum(count)::bigint AS count'
const selectEvents = `SELECT tag, ${step} AS step, ${count} FROM event_count WHERE ${span} GROUP BY tag, ${step}`
const selectDeliveries = `
  SELECT tag, ${step} AS step, status, ${count} FROM delivery_count WHERE ${span} GROUP BY tag, ${step}, status`
const selectRefused = `SELECT tag, scope, ${count} FROM refused_count WHERE ${span} GROUP BY tag, scope`

type StepRow = { tag: string; step: number; count: number }

/** The counts of several tags by step, without scripts, names and reasons. */
export async function readTeamCounts(
  sql: Sql,
  tagIds: readonly string[],
  request: Pick<StatsRequest, 'from' | 'to' | 'step'>,
): Promise<TagCounts[]> {
  const range = [tagIds, ...minutesOf(request)]
  const steps = [...range, minutesOfStep[request.step]]
  const events = await sql<StepRow>(selectEvents, steps)
  const deliveries = await sql<StepRow & { status: DeliveryStatus }>(selectDeliveries, steps)
  const refused = await sql<{ tag: string; scope: 'team' | 'tag'; count: number }>(selectRefused, range)
  return tagIds.map((tagId) => {
    const isOwn = ({ tag }: { tag: string }) => tag === tagId
    return {
      tagId,
      events: events.filter(isOwn).map((row) => ({ at: row.step * minuteMs, count: row.count })),
      deliveries: deliveries
        .filter(isOwn)
        .map((row) => ({ at: row.step * minuteMs, status: row.status, count: row.count })),
      refused: refused.filter(isOwn).map((row) => ({ of: row.scope, count: row.count })),
    }
  })
}
