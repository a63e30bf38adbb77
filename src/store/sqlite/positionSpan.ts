import type { DeliveryFilter } from '#store/deliveryQueries.ts'
import { type ExactSpans, type PositionSpan, slackMs, splitSpan } from '#store/positionSpans.ts'
import type { SqlReader } from './sqlReader.ts'

const selectLast = 'SELECT max(position) AS position FROM event WHERE tag = ?'
const selectFirst = 'SELECT min(position) AS position FROM event WHERE tag = ?'
const selectFrom =
  'SELECT position, received_at FROM event WHERE tag = ? AND position >= ? ORDER BY position, idx LIMIT 1'

/** The first position of the tag whose events were received at `ms` or later. A binary search. */
function positionAt(read: SqlReader, tag: number, ms: number, low: number, high: number): number {
  let [below, above] = [low, high + 1]
  while (below < above) {
    const middle = Math.floor((below + above) / 2)
    const row = read.one(selectFrom, tag, middle)
    if (row && Number(row.received_at) < ms) below = Math.max(middle, Number(row.position)) + 1
    else above = middle
  }
  return below
}

/** A range of positions that contains all events of the time range and a few others. Takes O(log n) index seeks. */
export function findPositionSpan(
  read: SqlReader,
  tag: number,
  { fromMs, toMs }: Pick<DeliveryFilter, 'fromMs' | 'toMs'>,
  marginMs = slackMs,
): PositionSpan {
  const low = Number(read.one(selectFirst, tag)?.position ?? 0)
  const high = Number(read.one(selectLast, tag)?.position ?? 0)
  return {
    from: fromMs === undefined ? low : positionAt(read, tag, fromMs - marginMs, low, high),
    to: toMs === undefined ? high : positionAt(read, tag, toMs + marginMs, low, high),
  }
}

/** The positions of a time range. `toMs` may be infinite. */
export function findExactSpans(
  read: SqlReader,
  tag: number,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): ExactSpans {
  const outer = findPositionSpan(read, tag, { fromMs, toMs })
  const low = Number(read.one(selectFirst, tag)?.position ?? 0)
  const high = Number(read.one(selectLast, tag)?.position ?? 0)
  const at = (ms: number) => positionAt(read, tag, ms, low, high)
  const to = toMs === Number.POSITIVE_INFINITY ? high : at(toMs - slackMs) - 1
  return splitSpan(outer, { from: at(fromMs + slackMs), to })
}
