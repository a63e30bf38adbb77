import type { DeliveryReason, DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { Funnel } from '#contract/stats.ts'
import type { Sql, SqlValue } from '#postgres/database.ts'
import { type FunnelCount, toFunnel } from '#store/funnelParts.ts'
import type { FunnelRequest } from '#store/journalQueries.ts'
import { findExactSpans } from './positionSpan.ts'

const countEvents = (inRange: string) => `SELECT count(*) AS count FROM event WHERE ${inRange}`
/** Reads nothing of a delivery but columns of its primary key. */
const countDeliveries = (inRange: string, script: string) => `
  SELECT delivery.script, delivery.status, delivery.reason, count(*) AS count
  FROM event JOIN delivery ON delivery.position = event.position AND delivery.idx = event.idx
  WHERE ${inRange} AND delivery.script = coalesce(${script}::text, delivery.script) GROUP BY 1, 2, 3`

const inSpan = 'event.tag = $1 AND event.position >= $2 AND event.position <= $3'
const received = `${inSpan} AND event.received_at >= $4 AND event.received_at < $5`
const spanCounts = { events: countEvents(inSpan), deliveries: countDeliveries(inSpan, '$4') }
const receivedCounts = { events: countEvents(received), deliveries: countDeliveries(received, '$6') }

type CountRow = { script: string; status: string; reason: string | null; count: number }
type SpanCounts = { events: number; counts: FunnelCount[] }

const toCount = ({ script, status, reason, count }: CountRow): FunnelCount => ({
  scriptId: script,
  status: status as DeliveryStatus,
  reason: reason as DeliveryReason | null,
  count,
})

async function countBy(
  sql: Sql,
  texts: Record<'events' | 'deliveries', string>,
  range: readonly SqlValue[],
  scriptId: string | undefined,
): Promise<SpanCounts> {
  const [row] = await sql<{ count: number }>(texts.events, range)
  const rows = await sql<CountRow>(texts.deliveries, [...range, scriptId ?? null])
  return { events: row!.count, counts: rows.map(toCount) }
}

/**
 * How the deliveries of the events of a time range stand now. Counts in indexes, and reads rows of events only near the
 * two ends of the range, where positions do not decide whether an event is inside.
 */
export async function readFunnel(
  sql: Sql,
  tagId: string,
  request: FunnelRequest,
): Promise<Omit<Funnel, 'from' | 'to'>> {
  const { from, to, scriptId } = request
  const { inner, edges } = await findExactSpans(sql, tagId, { fromMs: from, toMs: to })
  const parts: SpanCounts[] = []
  if (inner) parts.push(await countBy(sql, spanCounts, [tagId, inner.from, inner.to], scriptId))
  const times = [from, Math.min(to, Number.MAX_SAFE_INTEGER)]
  for (const edge of edges)
    parts.push(await countBy(sql, receivedCounts, [tagId, edge.from, edge.to, ...times], scriptId))
  return toFunnel(
    parts.reduce((sum, { events }) => sum + events, 0),
    parts.flatMap(({ counts }) => counts),
  )
}
