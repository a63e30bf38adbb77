import type { Sql } from '#postgres/database.ts'
import type { DeliveryFilter } from '#store/deliveryQueries.ts'
import { type ExactSpans, type PositionSpan, slackMs, splitSpan } from '#store/positionSpans.ts'

const selectEnds = `
  SELECT (SELECT position FROM event WHERE tag = $1 ORDER BY position, idx LIMIT 1) AS low,
    (SELECT position FROM event WHERE tag = $1 ORDER BY position DESC, idx DESC LIMIT 1) AS high`

/**
 * For each time the first position of the tag whose events were received at that time or later. A binary search, each
 * step of which is one index seek.
 */
const searchPositions = `
  SELECT wanted.no, found.below FROM unnest($4::bigint[]) WITH ORDINALITY AS wanted (ms, no) CROSS JOIN LATERAL (
    WITH RECURSIVE search (below, above) AS (
      SELECT $2::bigint, $3::bigint + 1
      UNION ALL
      SELECT CASE WHEN event.received_at < wanted.ms THEN greatest(middle.position, event.position) + 1 ELSE search.below END,
        CASE WHEN event.received_at < wanted.ms THEN search.above ELSE middle.position END
      FROM search
        CROSS JOIN LATERAL (SELECT (search.below + search.above) / 2 AS position) AS middle
        LEFT JOIN LATERAL (
          SELECT position, received_at FROM event WHERE tag = $1 AND event.position >= middle.position
          ORDER BY position, idx LIMIT 1
        ) AS event ON true
      WHERE search.below < search.above
    )
    SELECT below FROM search WHERE below >= above
  ) AS found`

type Ends = { low: number; high: number }

async function readEnds(sql: Sql, tagId: string): Promise<Ends> {
  const [row] = await sql<{ low: number | null; high: number | null }>(selectEnds, [tagId])
  return { low: row!.low ?? 0, high: row!.high ?? 0 }
}

async function positionsAt(sql: Sql, tagId: string, { low, high }: Ends, times: readonly number[]): Promise<number[]> {
  if (times.length === 0) return []
  const rows = await sql<{ no: number; below: number }>(searchPositions, [tagId, low, high, times])
  return rows.sort((one, other) => one.no - other.no).map(({ below }) => below)
}

/** A range of positions that contains all events of the time range and a few others. */
export async function findPositionSpan(
  sql: Sql,
  tagId: string,
  { fromMs, toMs }: Pick<DeliveryFilter, 'fromMs' | 'toMs'>,
  marginMs = slackMs,
): Promise<PositionSpan> {
  const ends = await readEnds(sql, tagId)
  const times = [fromMs === undefined ? [] : [fromMs - marginMs], toMs === undefined ? [] : [toMs + marginMs]].flat()
  const found = await positionsAt(sql, tagId, ends, times)
  return {
    from: fromMs === undefined ? ends.low : found[0]!,
    to: toMs === undefined ? ends.high : found.at(-1)!,
  }
}

/** The positions of a time range. `toMs` may be infinite. */
export async function findExactSpans(
  sql: Sql,
  tagId: string,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<ExactSpans> {
  const ends = await readEnds(sql, tagId)
  const isOpen = toMs === Number.POSITIVE_INFINITY
  const times = [fromMs - slackMs, fromMs + slackMs, ...(isOpen ? [] : [toMs - slackMs, toMs + slackMs])]
  const [outerFrom, innerFrom, innerEnd, outerTo] = await positionsAt(sql, tagId, ends, times)
  return splitSpan(
    { from: outerFrom!, to: outerTo ?? ends.high },
    { from: innerFrom!, to: innerEnd === undefined ? ends.high : innerEnd - 1 },
  )
}
