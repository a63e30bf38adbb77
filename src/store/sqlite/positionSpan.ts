import type { DeliveryFilter } from '#store/deliveryQueries.ts'
import type { SqlReader } from './sqlReader.ts'

const selectLast = 'SELECT max(position) AS position FROM event WHERE tag = ?'
const selectFirst = 'SELECT min(position) AS position FROM event WHERE tag = ?'
const selectFrom =
  'SELECT position, received_at FROM event WHERE tag = ? AND position >= ? ORDER BY position, idx LIMIT 1'

/**
 * Positions follow the time of receipt, except for concurrent requests, which may be stored out of order by this much.
 */
const slackMs = 60_000

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
): { from: number; to: number } {
  const low = Number(read.one(selectFirst, tag)?.position ?? 0)
  const high = Number(read.one(selectLast, tag)?.position ?? 0)
  return {
    from: fromMs === undefined ? low : positionAt(read, tag, fromMs - slackMs, low, high),
    to: toMs === undefined ? high : positionAt(read, tag, toMs + slackMs, low, high),
  }
}
