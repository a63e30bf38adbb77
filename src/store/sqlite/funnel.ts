import type { DeliveryReason, DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { Funnel } from '#contract/stats.ts'
import { type FunnelCount, toFunnel } from '#store/funnelParts.ts'
import type { FunnelRequest } from '#store/journalQueries.ts'
import type { PositionSpan } from '#store/positionSpans.ts'
import { findExactSpans } from './positionSpan.ts'
import { readRef } from './refs.ts'
import type { SqlReader } from './sqlReader.ts'
import { scanStatuses } from './statusScan.ts'

/** Positions in a block of `funnel_count`. */
const blockSize = 512
const countOfKey = `
  SELECT count(*) AS count FROM delivery
  WHERE tag = ? AND script = ? AND status = ? AND reason IS ? AND position >= ? AND position <= ?`
const countEvents = 'SELECT count(*) AS count FROM event WHERE tag = ? AND position >= ? AND position <= ?'
/** `script` is null in the row that counts events. */
const sumBlocks = `
  WITH RECURSIVE numbers (no) AS (SELECT ?1 UNION ALL SELECT no + 1 FROM numbers WHERE no < ?2)
  SELECT ref.id AS script, status, reason, sum(count) AS count
  FROM numbers CROSS JOIN funnel_count ON funnel_count.block = numbers.no AND funnel_count.tag = ?3
  LEFT JOIN ref ON ref.no = funnel_count.script GROUP BY 1, 2, 3`

const received = `event.tag = ?1 AND event.position >= ?2 AND event.position <= ?3
  AND event.received_at >= ?4 AND event.received_at < ?5`
const countReceived = `SELECT count(*) AS count FROM event WHERE ${received}`
const countReceivedDeliveries = `
  SELECT ref.id AS script, status, reason, count(*) AS count
  FROM event JOIN delivery USING (position, idx) JOIN ref ON ref.no = delivery.script WHERE ${received} GROUP BY 1, 2, 3`
const selectScriptId = 'SELECT id FROM ref WHERE no = ?'

const toCount = (script: unknown, status: unknown, reason: unknown, count: unknown): FunnelCount => ({
  scriptId: String(script),
  status: status as DeliveryStatus,
  reason: (reason || null) as DeliveryReason | null,
  count: Number(count),
})

/** The whole blocks of a span, and what is left of it. */
function splitBlocks({ from, to }: PositionSpan): { blocks?: PositionSpan; rests: PositionSpan[] } {
  const blocks = { from: Math.ceil(from / blockSize), to: Math.floor((to + 1) / blockSize) - 1 }
  if (blocks.from > blocks.to) return { rests: [{ from, to }] }
  const rests = [
    { from, to: blocks.from * blockSize - 1 },
    { from: (blocks.to + 1) * blockSize, to },
  ]
  return { blocks, rests: rests.filter((rest) => rest.from <= rest.to) }
}

/**
 * How the deliveries of the events of a time range stand now. Adds up what is counted of blocks of positions. What is left of
 * the range is counted in the index of statuses, and row by row near its two ends, where positions do not decide whether an
 * event is inside.
 */
export function readFunnel(
  read: SqlReader,
  tagId: string,
  { from, to, scriptId }: FunnelRequest,
): Omit<Funnel, 'from' | 'to'> {
  const tag = readRef(read, tagId)
  const { inner, edges } = findExactSpans(read, tag, { fromMs: from, toMs: to })
  const counts: FunnelCount[] = []
  let events = 0
  const add = ({ script, status, reason, count }: Record<string, unknown>) => {
    if ((scriptId ?? script) === script) counts.push(toCount(script, status, reason, count))
  }
  const { blocks, rests } = inner ? splitBlocks(inner) : { rests: [] }
  if (blocks)
    for (const row of read.all(sumBlocks, blocks.from, blocks.to, tag)) {
      if (row.script === null) events += Number(row.count)
      else add(row)
    }
  for (const rest of rests) {
    events += Number(read.one(countEvents, tag, rest.from, rest.to)?.count)
    for (const [number, status, reason] of scanStatuses(read, tag, scriptId === undefined ? {} : { scriptId })) {
      const { count } = read.one(countOfKey, tag, number, status, reason, rest.from, rest.to)!
      add({ script: read.one(selectScriptId, number)!.id, status, reason, count })
    }
  }
  for (const edge of edges) {
    const range = [tag, edge.from, edge.to, from, to]
    events += Number(read.one(countReceived, ...range)?.count)
    for (const row of read.all(countReceivedDeliveries, ...range)) add(row)
  }
  return toFunnel(events, counts)
}
