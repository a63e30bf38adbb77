import type { DeliveryReason, DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { Funnel } from '#contract/stats.ts'
import { type FunnelCount, toFunnel } from '#store/funnelParts.ts'
import type { FunnelRequest } from '#store/journalQueries.ts'
import type { PositionSpan } from '#store/positionSpans.ts'
import type { Dialect } from './dialect.ts'
import { positionSpans } from './positionSpan.ts'
import type { Read } from './read.ts'
import type { SqlRow } from './sql.ts'

const inSpan = 'event.position >= ?2 AND event.position <= ?3'

/** The whole blocks of a span, and the rest of it. `size`: positions per block; absent without blocks. */
function splitBlocks(
  { from, to }: PositionSpan,
  size: number | undefined,
): { blocks?: PositionSpan; rests: PositionSpan[] } {
  if (!size) return { rests: [{ from, to }] }
  const blocks = { from: Math.ceil(from / size), to: Math.floor((to + 1) / size) - 1 }
  if (blocks.from > blocks.to) return { rests: [{ from, to }] }
  const rests = [
    { from, to: blocks.from * size - 1 },
    { from: (blocks.to + 1) * size, to },
  ]
  return { blocks, rests: rests.filter((rest) => rest.from <= rest.to) }
}

const toCount = ({ script, status, reason, count }: SqlRow): FunnelCount => ({
  scriptId: String(script),
  status: status as DeliveryStatus,
  reason: (reason || null) as DeliveryReason | null,
  count: Number(count),
})

/**
 * The current states of the deliveries of all events in a time range. Adds up counts of blocks of positions if the
 * database has them, and counts the others in indexes. Reads rows of events only near both ends of the range, where
 * positions do not decide whether an event is inside.
 */
export function readFunnel(dialect: Dialect) {
  const { idOf, ref, funnelBlocks } = dialect
  const { findExactSpans } = positionSpans(dialect)
  const countBy = (condition: string) => ({
    events: `SELECT count(*) AS count FROM event WHERE event.tag = ${ref('?1')} AND ${condition}`,
    deliveries: `
      SELECT ${idOf('delivery.script')} AS script, delivery.status, delivery.reason, count(*) AS count
      FROM event CROSS JOIN delivery
      WHERE event.tag = ${ref('?1')} AND ${condition} AND delivery.position = event.position AND delivery.idx = event.idx
      GROUP BY delivery.script, delivery.status, delivery.reason`,
  })
  const [ofSpan, received] = [
    countBy(inSpan),
    countBy(`${inSpan} AND event.received_at >= ?4 AND event.received_at < ?5`),
  ]
  return function* (tagId: string, { from, to, scriptId }: FunnelRequest): Read<Omit<Funnel, 'from' | 'to'>> {
    const { inner, edges } = yield* findExactSpans(tagId, { fromMs: from, toMs: to })
    const { blocks, rests } = inner ? splitBlocks(inner, funnelBlocks?.size) : { rests: [] }
    let events = 0
    const rows: SqlRow[] = []
    function* count(
      { events: ofEvents, deliveries }: typeof ofSpan,
      ...range: readonly (string | number)[]
    ): Read<void> {
      events += Number((yield [ofEvents, ...range])[0]!.count)
      rows.push(...(yield [deliveries, ...range]))
    }
    if (blocks && funnelBlocks)
      for (const row of yield [funnelBlocks.select, tagId, blocks.from, blocks.to]) {
        if (row.script === null) events += Number(row.count)
        else rows.push(row)
      }
    for (const rest of rests) yield* count(ofSpan, tagId, rest.from, rest.to)
    const times = [from, Math.min(to, Number.MAX_SAFE_INTEGER)]
    for (const edge of edges) yield* count(received, tagId, edge.from, edge.to, ...times)
    const counts = rows.map(toCount)
    return toFunnel(events, scriptId === undefined ? counts : counts.filter((each) => each.scriptId === scriptId))
  }
}
