import type { DeliveryFilter } from '#store/deliveryQueries.ts'
import { type ExactSpans, type PositionSpan, slackMs, splitSpan } from '#store/positionSpans.ts'
import type { Dialect } from './dialect.ts'
import type { Read } from './read.ts'

/** Finds the positions of a tag's events in a range of time. Takes O(log n) index seeks. */
export function positionSpans({ ref }: Dialect) {
  const ofTag = `FROM event WHERE tag = ${ref('?1')}`
  const selectEnds = `
    SELECT (SELECT position ${ofTag} ORDER BY position, idx LIMIT 1) AS low,
      (SELECT position ${ofTag} ORDER BY position DESC, idx DESC LIMIT 1) AS high`
  const middle = (column: string) =>
    `(SELECT ${column} ${ofTag} AND position >= (below + above) / 2 ORDER BY position, idx LIMIT 1)`
  /** Finds, by binary search between `?2` and `?3`, the first position whose events were received at `?4` or later. */
  const searchPosition = `
    WITH RECURSIVE search (below, above) AS (
      SELECT CAST(?2 AS bigint), CAST(?3 AS bigint) + 1
      UNION ALL
      SELECT CASE WHEN ${middle('received_at')} < ?4 THEN ${middle('position')} + 1 ELSE below END,
        CASE WHEN ${middle('received_at')} < ?4 THEN above ELSE (below + above) / 2 END
      FROM search WHERE below < above
    )
    SELECT below FROM search WHERE below >= above`

  function* readEnds(tagId: string): Read<{ low: number; high: number }> {
    const [row] = yield [selectEnds, tagId]
    return { low: Number(row!.low ?? 0), high: Number(row!.high ?? 0) }
  }
  function* positionAt(tagId: string, { low, high }: { low: number; high: number }, ms: number): Read<number> {
    const [row] = yield [searchPosition, tagId, low, high, ms]
    return Number(row!.below)
  }
  return {
    /** A range of positions with all events of the time range and a few others. */
    *findSpan(
      tagId: string,
      { fromMs, toMs }: Pick<DeliveryFilter, 'fromMs' | 'toMs'>,
      marginMs = slackMs,
    ): Read<PositionSpan> {
      const ends = yield* readEnds(tagId)
      return {
        from: fromMs === undefined ? ends.low : yield* positionAt(tagId, ends, fromMs - marginMs),
        to: toMs === undefined ? ends.high : yield* positionAt(tagId, ends, toMs + marginMs),
      }
    },
    /** `toMs` may be infinite. */
    *findExactSpans(tagId: string, { fromMs, toMs }: { fromMs: number; toMs: number }): Read<ExactSpans> {
      const ends = yield* readEnds(tagId)
      const outerFrom = yield* positionAt(tagId, ends, fromMs - slackMs)
      const from = yield* positionAt(tagId, ends, fromMs + slackMs)
      if (toMs === Number.POSITIVE_INFINITY)
        return splitSpan({ from: outerFrom, to: ends.high }, { from, to: ends.high })
      const to = (yield* positionAt(tagId, ends, toMs - slackMs)) - 1
      return splitSpan({ from: outerFrom, to: yield* positionAt(tagId, ends, toMs + slackMs) }, { from, to })
    },
  }
}
