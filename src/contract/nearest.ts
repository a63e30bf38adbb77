/** How many letters must be changed, added or dropped to make one word of the other (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, n) => n)
  for (const [n, letter] of [...one].entries()) {
    const next = [n + 1]
    for (let m = 0; m < other.length; m++)
      next.push(Math.min(next[m]! + 1, row[m + 1]! + 1, row[m]! + (letter === other[m] ? 0 : 1)))
    row = next
  }
  return row[other.length]!
}

/** The name that was probably meant; undefined when none is near. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const [best] = names
    .map((each) => ({ each, away: distance(name.toLowerCase(), each.toLowerCase()) }))
    .sort((a, b) => a.away - b.away)
  return best && best.away <= Math.max(2, name.length / 4) ? best.each : undefined
}
