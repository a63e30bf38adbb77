import type { DeliveryReason, DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { Funnel } from '#contract/stats.ts'
import type { FunnelRequest } from '#store/journalQueries.ts'
import { findExactSpans, type PositionSpan } from './positionSpan.ts'
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

type Part = Funnel['parts'][number]
/** Sums by script, status and reason. */
function createPartSums() {
  const byScript = new Map<string, Map<string, Part>>()
  return {
    byScript,
    add(scriptId: string, status: DeliveryStatus, reason: DeliveryReason | null, count: number): void {
      if (count === 0) return
      const parts = byScript.get(scriptId) ?? new Map<string, Part>()
      byScript.set(scriptId, parts)
      const key = `${status} ${reason}`
      const part = parts.get(key) ?? { status, ...(reason && { reason }), count: 0 }
      parts.set(key, { ...part, count: part.count + count })
    },
  }
}

const totalOf = (parts: readonly Part[]) => parts.reduce((sum, { count }) => sum + count, 0)

/**
 * How the deliveries of the events of a time range stand now. Counts in the index of statuses, and row by row only near
 * the two ends of the range, where positions do not decide whether an event is inside.
 */
export function readFunnel(
  read: SqlReader,
  tagId: string,
  { from, to, scriptId }: FunnelRequest,
): Omit<Funnel, 'from' | 'to'> {
  const tag = Number(read.one('SELECT no FROM ref WHERE id = ?', tagId)?.no ?? 0)
  const { inner, edges } = findExactSpans(read, tag, { fromMs: from, toMs: to })
  const sums = createPartSums()
  let events = 0
  if (inner) {
    events += countEvents(read, tag, inner)
    for (const key of scanStatuses(read, tag, scriptId === undefined ? {} : { scriptId })) {
      const { count } = read.one(countOfKey, tag, ...key, inner.from, inner.to)!
      const script = String(read.one(selectScriptId, key[0])!.id)
      sums.add(script, key[1] as DeliveryStatus, key[2] as DeliveryReason | null, Number(count))
    }
  }
  for (const edge of edges) {
    const range = [tag, edge.from, edge.to, from, to]
    events += Number(read.one(countReceived, ...range)?.count)
    for (const { script, status, reason, count } of read.all(countReceivedDeliveries, ...range))
      if ((scriptId ?? script) === script)
        sums.add(String(script), status as DeliveryStatus, reason as DeliveryReason | null, Number(count))
  }
  const all = createPartSums()
  for (const parts of sums.byScript.values())
    for (const { status, reason = null, count } of parts.values()) all.add('', status, reason, count)
  const parts = [...(all.byScript.get('')?.values() ?? [])]
  const byScript = [...sums.byScript].map(([each, of]) => {
    return { scriptId: each, planned: totalOf([...of.values()]), parts: [...of.values()] }
  })
  return { events, planned: totalOf(parts), parts, byScript }
}
