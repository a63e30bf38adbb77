/** Which positions are settled: all up to a cursor, and some beyond it. Positions that were never stored count as settled. */
export type SettledPositions = ReturnType<typeof openSettledPositions>

export function openSettledPositions(start: number, beyond: Iterable<number>) {
  let cursor = start
  const ahead = new Set(beyond)
  const has = (position: number) => position <= cursor || ahead.has(position)
  return {
    has,
    /** Settles positions, and returns those that were not settled before. */
    settle(positions: readonly number[]): number[] {
      const added = [...new Set(positions)].filter((position) => !has(position))
      for (const position of added) ahead.add(position)
      while (ahead.delete(cursor + 1)) cursor++
      return added
    },
    cursor: () => cursor,
    ahead: () => [...ahead],
    /** The number of settled positions. */
    count: () => cursor + ahead.size,
  }
}
