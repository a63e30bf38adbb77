import { toEventMapping } from '#contract/eventMapping.ts'
import { parseJson } from '#kit/json.ts'

/** Reads a JSON map from our event names to the vendor's ids. Undefined for any other text. */
export function parseEventMapping(text: string): ReadonlyMap<string, string> | undefined {
  try {
    return toEventMapping(parseJson(text))
  } catch {
    return undefined
  }
}

/** The `check` of a variable that holds such a map. */
export const eventMappingCheck = (text: string): string | undefined =>
  parseEventMapping(text) ? undefined : 'Write a JSON list of pairs: [["Purchase", "123"], ["Lead", "456"]].'

/** The `check` of such a map whose ids must all match. `sentence`: the instruction for the customer. */
export const mappedIdCheck =
  (id: RegExp, sentence: string) =>
  (text: string): string | undefined => {
    const map = parseEventMapping(text)
    if (!map) return eventMappingCheck(text)
    return map.values().every((each) => id.test(each)) ? undefined : sentence
  }
