import { isStandardEvent } from '#contract/event.ts'
import { parseJson } from '#kit/json.ts'
import type { Provider } from './provider.ts'

type Secrets = Readonly<Record<string, string | undefined>>

const pairOf = (row: unknown): [unknown, unknown] => {
  if (Array.isArray(row)) return [row[0], row[1]]
  const { event, id } = (row ?? {}) as { event?: unknown; id?: unknown }
  return [event, id]
}

const isName = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

/**
 * What a customer writes to pair events with a vendor's own ids, as JSON: `[["Purchase","123"]]`, `[{"event":"Purchase",
 * "id":"123"}]` or `{"Purchase":"123"}`. Ids may be numbers. Undefined where it is none of these.
 */
export function mappingOf(text: string): ReadonlyMap<string, string> | undefined {
  let rows: unknown
  try {
    rows = parseJson(text)
  } catch {
    return undefined
  }
  if (typeof rows !== 'object' || rows === null) return undefined
  const pairs = Array.isArray(rows) ? rows.map(pairOf) : Object.entries(rows)
  const texts = pairs.map(([event, id]) => [event, typeof id === 'number' ? String(id) : id])
  const isGood = texts.every(([event, id]) => isName(event) && typeof id === 'string')
  return isGood ? new Map(texts as [string, string][]) : undefined
}

const mostKept = 1_000
const kept = new Map<string, ReadonlyMap<string, string>>()

/** Every event of a script is looked up in the same text: it is read once. */
function pairsIn(text: string | undefined): ReadonlyMap<string, string> | undefined {
  const known = text && kept.get(text)
  if (!text || known) return known || undefined
  const pairs = mappingOf(text)
  if (kept.size >= mostKept) kept.clear()
  if (pairs) kept.set(text, pairs)
  return pairs
}

/** For the `check` of a variable that holds pairs. */
export const mappingCheck = (text: string): string | undefined =>
  mappingOf(text) ? undefined : 'Write a JSON list of pairs: [["Purchase", "123"], ["Lead", "456"]].'

/**
 * The vendor's name for an event; undefined where the provider does not send it. Without the secrets, every event may be
 * one that the customer has paired.
 */
export function theirName(provider: Provider, eventName: string, secrets?: Secrets): string | undefined {
  if (provider.mapping && !secrets) return eventName
  const paired = provider.mapping && pairsIn(secrets?.[provider.mapping])?.get(eventName)
  if (paired !== undefined) return paired
  if (Object.hasOwn(provider.events, eventName)) return provider.events[eventName as keyof Provider['events']]
  return isStandardEvent(eventName) ? undefined : provider.custom?.(eventName)
}
