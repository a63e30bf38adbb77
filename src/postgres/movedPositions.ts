/** The smallest position of a day (days since 1970, UTC). */
export type DayStart = { day: number; position: number }

/** The positions of files that get a day, both inclusive. */
export type DaySpan = { day: number; from: number; to: number }

export const dayBits = 2 ** 38

export type DatedPositions = {
  /** `day << 38 | position`. */
  toPosition(position: number): number
  /** In order. */
  spans: readonly DaySpan[]
}

/**
 * Gives the positions of files, which number the records, the day that PostgreSQL needs. Their order stays: a day in
 * which the clock was set back has none. Positions before the first day get that day.
 */
export function datePositions(starts: readonly DayStart[]): DatedPositions {
  const spans: DaySpan[] = []
  let end = Number.POSITIVE_INFINITY
  // Newest first: a day ends where a later one begins.
  for (const { day, position } of starts.toSorted((one, other) => other.day - one.day)) {
    if (position >= end) continue
    spans.unshift({ day, from: position, to: end - 1 })
    end = position
  }
  const dayOf = (position: number) => (spans.findLast(({ from }) => from <= position) ?? spans[0] ?? { day: 0 }).day
  return { toPosition: (position) => dayOf(position) * dayBits + position, spans }
}
