/** New rows before those that were loaded, each key once: the newer row wins. At most `most` rows are kept. */
export function mergeRows<Row>(
  added: readonly Row[],
  loaded: readonly Row[],
  keyOf: (row: Row) => string,
  most = Number.POSITIVE_INFINITY,
): Row[] {
  const seen = new Set<string>()
  const merged: Row[] = []
  for (const row of [...added, ...loaded]) {
    const key = keyOf(row)
    if (seen.has(key) || merged.length >= most) continue
    seen.add(key)
    merged.push(row)
  }
  return merged
}
