import type { DeliveryReason, DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { Funnel } from '#contract/stats.ts'
import { type FunnelCount, toFunnel } from '#store/funnelParts.ts'
import type { FunnelRequest } from '#store/journalQueries.ts'
import type { PositionSpan } from '#store/positionSpans.ts'
import { findExactSpans } from './positionSpan.ts'
import { readRef } from './refs.ts'
import type { SqlReader } from './sqlReader.ts'
import { scanStatuses } from './statusScan.ts'

const countOfKey = `
  SELECT count(*) AS count FROM delivery
  WHERE tag = ? AND script = ? AND status = ? AND reason IS ? AND position >= ? AND position <= ?`
const nextName = 'SELECT min(name) AS name FROM event WHERE tag = ? AND name > ?'
const countNamed = `
  SELECT count(*) AS count FROM event INDEXED BY event_name WHERE tag = ? AND name = ? AND position >= ? AND position <= ?`
const countAll = 'SELECT count(*) AS count FROM event WHERE tag = ? AND position >= ? AND position <= ?'
/** With more names one scan of the events is faster than a seek for each name. */
const maxNames = 500

const received = `event.tag = ?1 AND event.position >= ?2 AND event.position <= ?3
  AND event.received_at >= ?4 AND event.received_at < ?5`
const countReceived = `SELECT count(*) AS count FROM event WHERE ${received}`
const countReceivedDeliveries = `
  SELECT ref.id AS script, status, reason, count(*) AS count
  FROM event JOIN delivery USING (position, idx) JOIN ref ON ref.no = delivery.script WHERE ${received} GROUP BY 1, 2, 3`
const selectScriptId = 'SELECT id FROM ref WHERE no = ?'

/** The names of a tag's events in a loose index scan; undefined if there are too many. */
function eventNames(read: SqlReader, tag: number): string[] | undefined {
  const names: string[] = []
  for (let name = read.one(nextName, tag, '')?.name; name != null; name = read.one(nextName, tag, String(name))?.name) {
    names.push(String(name))
    if (names.length > maxNames) return undefined
  }
  return names
}

function countEvents(read: SqlReader, tag: number, { from, to }: PositionSpan): number {
  const names = eventNames(read, tag)
  if (!names) return Number(read.one(countAll, tag, from, to)?.count)
  return names.reduce((sum, name) => sum + Number(read.one(countNamed, tag, name, from, to)?.count), 0)
}

const toCount = (script: unknown, status: unknown, reason: unknown, count: unknown): FunnelCount => ({
  scriptId: String(script),
  status: status as DeliveryStatus,
  reason: reason as DeliveryReason | null,
  count: Number(count),
})

/**
 * How the deliveries of the events of a time range stand now. Counts in the index of statuses, and row by row only near
 * the two ends of the range, where positions do not decide whether an event is inside.
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
  if (inner) {
    events += countEvents(read, tag, inner)
    for (const key of scanStatuses(read, tag, scriptId === undefined ? {} : { scriptId })) {
      const { count } = read.one(countOfKey, tag, ...key, inner.from, inner.to)!
      const script = String(read.one(selectScriptId, key[0])!.id)
      counts.push(toCount(script, key[1], key[2], count))
    }
  }
  for (const edge of edges) {
    const range = [tag, edge.from, edge.to, from, to]
    events += Number(read.one(countReceived, ...range)?.count)
    for (const { script, status, reason, count } of read.all(countReceivedDeliveries, ...range))
      if ((scriptId ?? script) === script) counts.push(toCount(script, status, reason, count))
  }
  return toFunnel(events, counts)
}
