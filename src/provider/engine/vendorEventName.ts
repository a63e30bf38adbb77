import { LRUCache } from 'lru-cache'
import { isStandardEvent } from '#contract/standardEvents.ts'
import { parseEventMapping } from '#provider/form/eventMapping.ts'
import type { Provider } from '#provider/form/provider.ts'

type Secrets = Readonly<Record<string, string | undefined>>

const cache = new LRUCache<string, ReadonlyMap<string, string>>({ max: 1_000 })

/** Parsed once: every event of a script is looked up in the same text. */
function cachedMapping(text: string | undefined): ReadonlyMap<string, string> | undefined {
  const known = text && cache.get(text)
  if (!text || known) return known || undefined
  const pairs = parseEventMapping(text)
  if (pairs) cache.set(text, pairs)
  return pairs
}

/**
 * The vendor's name for an event; undefined where the provider does not send it. Without `secrets` the customer's
 * mapping is unknown: then a provider with `eventMapping` may send any event.
 */
export function vendorEventName(provider: Provider, eventName: string, secrets?: Secrets): string | undefined {
  if (provider.eventMapping && !secrets) return eventName
  const paired = provider.eventMapping && cachedMapping(secrets?.[provider.eventMapping])?.get(eventName)
  if (paired !== undefined) return paired
  if (Object.hasOwn(provider.events, eventName)) return provider.events[eventName as keyof Provider['events']]
  return isStandardEvent(eventName) ? undefined : provider.customEventName?.(eventName)
}
