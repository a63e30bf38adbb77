import { LRUCache } from 'lru-cache'
import { isStandardEvent } from '#contract/standardEvents.ts'
import { wellKnownEventOf } from '#contract/wellKnownEvents.ts'
import { parseEventMapping } from '#provider/form/eventMapping.ts'
import type { ListedEvent, Provider } from '#provider/form/provider.ts'

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

const isListed = ({ events }: Provider, name: string): name is ListedEvent => Object.hasOwn(events, name)

/** The event that a provider lists: by this name, or by another name of the well-known event that it means. */
export function listedEventOf(provider: Provider, eventName: string): ListedEvent | undefined {
  if (isListed(provider, eventName)) return eventName
  const wellKnown = wellKnownEventOf(eventName)
  return wellKnown && isListed(provider, wellKnown) ? wellKnown : undefined
}

/** A refund by another name is no custom event of a vendor that takes no custom event `Refund`. */
const customName = ({ customEventName }: Provider, eventName: string) =>
  wellKnownEventOf(eventName) === 'Refund' && customEventName?.('Refund') === undefined
    ? undefined
    : customEventName?.(eventName)

/**
 * The vendor's name for an event; undefined where the provider does not send it. Without `secrets` the customer's
 * mapping is unknown: then a provider with `eventMapping` may send any event.
 */
export function vendorEventName(provider: Provider, eventName: string, secrets?: Secrets): string | undefined {
  if (provider.eventMapping && !secrets) return eventName
  const pairs = provider.eventMapping && cachedMapping(secrets?.[provider.eventMapping])
  const paired = pairs && (pairs.get(eventName) ?? pairs.get(wellKnownEventOf(eventName) ?? ''))
  if (paired !== undefined) return paired
  const listed = listedEventOf(provider, eventName)
  if (listed) return provider.events[listed]
  return isStandardEvent(eventName) ? undefined : customName(provider, eventName)
}
