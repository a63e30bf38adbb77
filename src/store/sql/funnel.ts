import type { DeliveryReason, DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { Funnel } from '#contract/stats.ts'
import type { FunnelRequest } from '#store/journalQueries.ts'
import { type PositionSpan, splitSpan } from '#store/positionSpans.ts'
import type { Dialect } from './dialect.ts'
import { positionSpans } from './positionSpan.ts'
import type { Read } from './read.ts'
import type { SqlRow } from './sql.ts'

type Part = Funnel['parts'][number]
/** The number of deliveries of a script with a status and a reason. */
type FunnelCount = { scriptId: string; status: DeliveryStatus; reason: DeliveryReason | null; count: number }

/** Sums by a key, status and reason. */
function sumParts(counts: readonly FunnelCount[], keyOf: (count: FunnelCount) => string): Map<string, Part[]> {
  const byKey = new Map<string, Map<string, Part>>()
  for (const each of counts) {
    const { status, reason, count } = each
    if (count === 0) continue
    const parts = byKey.get(keyOf(each)) ?? new Map<string, Part>()
    byKey.set(keyOf(each), parts)
    const part = parts.get(`${status} ${reason}`) ?? { status, ...(reason && { reason }), count: 0 }
    parts.set(`${status} ${reason}`, { ...part, count: part.count + count })
  }
  return new Map(byKey.entries().map(([key, parts]) => [key, [...parts.values()]]))
}

const totalOf = (parts: readonly Part[]) => parts.reduce((sum, { count }) => sum + count, 0)

/** The current states of the deliveries of a number of events. */
function toFunnel(events: number, counts: readonly FunnelCount[]): Omit<Funnel, 'from' | 'to'> {
  const parts = sumParts(counts, () => '').get('') ?? []
  const byScript = [...sumParts(counts, ({ scriptId }) => scriptId)].map(([scriptId, of]) => {
    return { scriptId, planned: totalOf(of), parts: of }
  })
  return { events, planned: totalOf(parts), parts, byScript }
}

const inSpan = 'event.position >= ?2 AND event.position <= ?3'

/** Splits a span into its whole blocks and the rest. `size`: the number of positions in a block. */
function splitBlocks(span: PositionSpan, size: number): { blocks?: PositionSpan; rests: PositionSpan[] } {
  const blocks = { from: Math.ceil(span.from / size), to: Math.floor((span.to + 1) / size) - 1 }
  const { inner, edges } = splitSpan(span, { from: blocks.from * size, to: (blocks.to + 1) * size - 1 })
  return { ...(inner && { blocks }), rests: edges }
}

const toCount = ({ script, status, reason, count }: SqlRow): FunnelCount => ({
  scriptId: String(script),
  status: status as DeliveryStatus,
  reason: (reason || null) as DeliveryReason | null,
  count: Number(count),
})

/**
 * The current states of the deliveries of all events in a time range. Adds up the stored counts of whole blocks of
 * positions, and counts the rest in indexes. Reads rows of events only near both ends of the range, because there the
 * position does not tell whether an event is inside.
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
    const { blocks, rests } = inner ? splitBlocks(inner, funnelBlocks.size) : { rests: [] }
    let events = 0
    const rows: SqlRow[] = []
    function* count(
      { events: ofEvents, deliveries }: typeof ofSpan,
      ...range: readonly (string | number)[]
    ): Read<void> {
      events += Number((yield [ofEvents, ...range])[0]!.count)
      rows.push(...(yield [deliveries, ...range]))
    }
    if (blocks)
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
