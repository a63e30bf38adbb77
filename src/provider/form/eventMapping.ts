import { parseJson } from '#kit/json.ts'

const pairOf = (row: unknown): [unknown, unknown] => {
  if (Array.isArray(row)) return [row[0], row[1]]
  const { event, id } = (row ?? {}) as { event?: unknown; id?: unknown }
  return [event, id]
}

const isName = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

/**
 * Reads a map from our event names to the vendor's ids: `[["Purchase","123"]]`, `[{"event":"Purchase","id":"123"}]` or
 * `{"Purchase":"123"}`. Ids may be numbers. Undefined for any other text.
 */
export function parseEventMapping(text: string): ReadonlyMap<string, string> | undefined {
  let rows: unknown
  try {
    rows = parseJson(text)
  } catch {
    return undefined
  }
  if (typeof rows !== 'object' || rows === null) return undefined
  const pairs = Array.isArray(rows) ? rows.map(pairOf) : Object.entries(rows)
  const texts = pairs.map(([event, id]) => [event, typeof id === 'number' ? String(id) : id])
  const isValid = texts.every(([event, id]) => isName(event) && typeof id === 'string')
  return isValid ? new Map(texts as [string, string][]) : undefined
}

/** The `check` of a variable that holds such a map. */
export const eventMappingCheck = (text: string): string | undefined =>
  parseEventMapping(text) ? undefined : 'Write a JSON list of pairs: [["Purchase", "123"], ["Lead", "456"]].'

/** The `check` of such a map whose ids all match. `sentence`: what to write. */
export const mappedIdCheck =
  (id: RegExp, sentence: string) =>
  (text: string): string | undefined => {
    const map = parseEventMapping(text)
    if (!map) return eventMappingCheck(text)
    return map.values().every((each) => id.test(each)) ? undefined : sentence
  }
