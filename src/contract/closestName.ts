/** The Levenshtein distance of two words. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, n) => n)
  for (const [n, letter] of [...one].entries()) {
    const next = [n + 1]
    for (let m = 0; m < other.length; m++)
      next.push(Math.min(next[m]! + 1, row[m + 1]! + 1, row[m]! + (letter === other[m] ? 0 : 1)))
    row = next
  }
  return row[other.length]!
}

/** The nearest name by edit distance. Undefined if the distance of all is above 2 and above a quarter of the length. */
export function closestName(name: string, names: readonly string[]): string | undefined {
  const [best] = names
    .map((each) => ({ each, distance: editDistance(name.toLowerCase(), each.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  return best && best.distance <= Math.max(2, name.length / 4) ? best.each : undefined
}
