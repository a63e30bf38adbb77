/** The smallest position of a day (days since 1970, UTC), of events or of records. */
export type DayStart = { day: number; position: number }

/** The positions of files that are assigned to a day, both inclusive. */
export type DaySpan = { day: number; from: number; to: number }

export const dayBits = 2 ** 38

export type DatedPositions = {
  /** `day << 38 | position`. */
  toPosition(position: number): number
  /** In order. */
  spans: readonly DaySpan[]
}

/**
 * Adds days, which PostgreSQL needs, to the positions of files, which only number the records. The order stays the
 * same: a day on which the clock was set back gets no positions. Positions before the first day get that day.
 */
export function datePositions(starts: readonly DayStart[]): DatedPositions {
  const spans: DaySpan[] = []
  let end = Number.POSITIVE_INFINITY
  // Newest first: a day ends where a later one begins.
  for (const { day, position } of starts.toSorted((one, other) => other.day - one.day)) {
    if (position >= end) continue
    if (spans[0]?.day === day) spans[0].from = position
    else spans.unshift({ day, from: position, to: end - 1 })
    end = position
  }
  const dayOf = (position: number) => (spans.findLast(({ from }) => from <= position) ?? spans[0] ?? { day: 0 }).day
  return { toPosition: (position) => dayOf(position) * dayBits + position, spans }
}
