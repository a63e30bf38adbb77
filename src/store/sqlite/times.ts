import type { DeliveryFilter } from '#store/found.ts'
import type { Read } from './read.ts'

const last = 'SELECT max(position) AS position FROM event WHERE tag = ?'
const first = 'SELECT min(position) AS position FROM event WHERE tag = ?'
const from = 'SELECT position, received_at FROM event WHERE tag = ? AND position >= ? ORDER BY position, idx LIMIT 1'

/** Bodies are kept in the order they came, but for what they waited for each other at the door. */
const slackMs = 60_000

/** The first position of the tag from which on events were received at that time or later. */
function positionAt(read: Read, tag: number, ms: number, low: number, high: number): number {
  let [below, above] = [low, high + 1]
  while (below < above) {
    const middle = Math.floor((below + above) / 2)
    const row = read.one(from, tag, middle)
    if (row && Number(row.received_at) < ms) below = Math.max(middle, Number(row.position)) + 1
    else above = middle
  }
  return below
}

/** The positions between which all events of that time lie, and a few others: found in as many steps as a number has digits. */
export function spanOf(
  read: Read,
  tag: number,
  { fromMs, toMs }: Pick<DeliveryFilter, 'fromMs' | 'toMs'>,
): { from: number; to: number } {
  const low = Number(read.one(first, tag)?.position ?? 0)
  const high = Number(read.one(last, tag)?.position ?? 0)
  return {
    from: fromMs === undefined ? low : positionAt(read, tag, fromMs - slackMs, low, high),
    to: toMs === undefined ? high : positionAt(read, tag, toMs + slackMs, low, high),
  }
}
