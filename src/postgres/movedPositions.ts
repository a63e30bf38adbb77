/** The first position of a day (days since 1970, UTC). */
export type DayStart = { day: number; position: number }

const dayBits = 2 ** 38

/**
 * Gives the positions of files, which count records, the day that PostgreSQL needs: `day << 38 | position`. Their order
 * stays. `starts`: the smallest position of each day; a day whose clock was set back begins with the next one.
 */
export function datePositions(starts: readonly DayStart[]): (position: number) => number {
  const sorted = starts.toSorted((one, other) => other.day - one.day)
  let smallest = Number.POSITIVE_INFINITY
  // Newest first: a day begins no later than the days after it.
  const days = sorted.map(({ day, position }) => {
    smallest = Math.min(smallest, position)
    return { day, position: smallest }
  })
  return (position) => {
    const { day } = days.find((each) => each.position <= position) ?? days.at(-1) ?? { day: 0 }
    return day * dayBits + position
  }
}
