const pairOf = (row: unknown): [unknown, unknown] => {
  if (Array.isArray(row)) return [row[0], row[1]]
  const { event, id } = (row ?? {}) as { event?: unknown; id?: unknown }
  return [event, id]
}

const isName = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

/**
 * Parses a map from Aglet's event names to the vendor's ids from a JSON value: `[["Purchase","123"]]`,
 * `[{"event":"Purchase","id":"123"}]` or `{"Purchase":"123"}`. Ids may be numbers. Undefined for any other value.
 */
export function toEventMapping(json: unknown): ReadonlyMap<string, string> | undefined {
  if (typeof json !== 'object' || json === null) return undefined
  const pairs = Array.isArray(json) ? json.map(pairOf) : Object.entries(json)
  const texts = pairs.map(([event, id]) => [event, typeof id === 'number' ? String(id) : id])
  const isValid = texts.every(([event, id]) => isName(event) && typeof id === 'string')
  return isValid ? new Map(texts as [string, string][]) : undefined
}
