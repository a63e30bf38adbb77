import type { DeliveryReason, DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { Funnel } from '#contract/stats.ts'
import type { Sql } from '#postgres/database.ts'
import { type FunnelCount, toFunnel } from '#store/funnelParts.ts'
import type { FunnelRequest } from '#store/journalQueries.ts'
import type { PositionSpan } from '#store/positionSpans.ts'
import { findExactSpans } from './positionSpan.ts'
import { keyColumns, ofEachKey, scanStatuses } from './statusScan.ts'

const countOfKeys = `
  SELECT key.script, key.status, key.reason, found.count
  ${ofEachKey('count(*) AS count', { condition: 'AND position >= $5 AND position <= $6' })}`
const countAll = 'SELECT count(*) AS count FROM event WHERE tag = $1 AND position >= $2 AND position <= $3'

const received = `event.tag = $1 AND event.position >= $2 AND event.position <= $3
  AND event.received_at >= $4 AND event.received_at < $5`
const countReceived = `SELECT count(*) AS count FROM event WHERE ${received}`
const countReceivedDeliveries = `
  SELECT delivery.script, delivery.status, delivery.reason, count(*) AS count
  FROM event JOIN delivery ON delivery.position = event.position AND delivery.idx = event.idx AND delivery.tag = $1
  WHERE ${received} GROUP BY 1, 2, 3`

type CountRow = { script: string; status: string; reason: string | null; count: number }
type SpanCounts = { events: number; counts: FunnelCount[] }

const toCount = ({ script, status, reason, count }: CountRow): FunnelCount => ({
  scriptId: script,
  status: status as DeliveryStatus,
  reason: reason as DeliveryReason | null,
  count,
})

/** All events of these positions, counted in indexes. */
async function countSpan(
  sql: Sql,
  tagId: string,
  { from, to }: PositionSpan,
  scriptIds: readonly string[] | undefined,
): Promise<SpanCounts> {
  const [row] = await sql<{ count: number }>(countAll, [tagId, from, to])
  const keys = await scanStatuses(sql, tagId, {}, scriptIds)
  const rows = keys.length === 0 ? [] : await sql<CountRow>(countOfKeys, [tagId, ...keyColumns(keys), from, to])
  return { events: row!.count, counts: rows.map(toCount) }
}

/** The events of these positions that were received in the time range, counted row by row. */
async function countReceivedIn(
  sql: Sql,
  tagId: string,
  span: PositionSpan,
  { from, to, scriptId }: FunnelRequest,
): Promise<SpanCounts> {
  const params = [tagId, span.from, span.to, from, Math.min(to, Number.MAX_SAFE_INTEGER)]
  const [row] = await sql<{ count: number }>(countReceived, params)
  const rows = await sql<CountRow>(countReceivedDeliveries, params)
  return { events: row!.count, counts: rows.filter(({ script }) => (scriptId ?? script) === script).map(toCount) }
}

/**
 * How the deliveries of the events of a time range stand now. Counts in the index of statuses, and row by row only near
 * the two ends of the range, where positions do not decide whether an event is inside.
 */
export async function readFunnel(
  sql: Sql,
  tagId: string,
  request: FunnelRequest,
): Promise<Omit<Funnel, 'from' | 'to'>> {
  const { from, to, scriptId } = request
  const { inner, edges } = await findExactSpans(sql, tagId, { fromMs: from, toMs: to })
  const parts: SpanCounts[] = []
  if (inner) parts.push(await countSpan(sql, tagId, inner, scriptId === undefined ? undefined : [scriptId]))
  for (const edge of edges) parts.push(await countReceivedIn(sql, tagId, edge, request))
  return toFunnel(
    parts.reduce((sum, { events }) => sum + events, 0),
    parts.flatMap(({ counts }) => counts),
  )
}
