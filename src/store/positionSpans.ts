/** A range of positions, including both ends. */
export type PositionSpan = { from: number; to: number }

/**
 * Positions follow the time of receipt, except for concurrent requests, which may be stored out of order by this much.
 */
export const slackMs = 60_000

/** The positions of a time range. All events of `inner` are in the range, events of `edges` may be, and no others are. */
export type ExactSpans = { inner?: PositionSpan; edges: PositionSpan[] }

/**
 * Splits a span. `outer` contains all events of a time range and a few others, `inner` only events of the range; it is
 * empty for a range shorter than twice the slack.
 */
export function splitSpan(outer: PositionSpan, inner: PositionSpan): ExactSpans {
  if (inner.from > inner.to) return { edges: [outer] }
  const edges = [
    { from: outer.from, to: inner.from - 1 },
    { from: inner.to + 1, to: outer.to },
  ].filter((edge) => edge.from <= edge.to)
  return { inner, edges }
}
