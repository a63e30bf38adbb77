import { isStandardEvent } from '#contract/standardEvents.ts'
import { wellKnownEventOf } from '#contract/wellKnownEvents.ts'
import { createLruCache } from '#kit/lruCache.ts'
import { parseEventMapping } from '#provider/form/eventMapping.ts'
import type { ListedEvent, Provider } from '#provider/form/provider.ts'

type Secrets = Readonly<Record<string, string | undefined>>

const cache = createLruCache<string, ReadonlyMap<string, string>>(1_000)

/** Parsed once per text: all events of a script use the same mapping. */
function cachedMapping(text: string | undefined): ReadonlyMap<string, string> | undefined {
  const known = text && cache.get(text)
  if (!text || known) return known || undefined
  const pairs = parseEventMapping(text)
  if (pairs) cache.set(text, pairs)
  return pairs
}

const isListed = ({ events }: Provider, name: string): name is ListedEvent => Object.hasOwn(events, name)

/** The provider's listed event for this name, or for another name of the same well-known event. */
export function listedEventOf(provider: Provider, eventName: string): ListedEvent | undefined {
  if (isListed(provider, eventName)) return eventName
  const wellKnown = wellKnownEventOf(eventName)
  return wellKnown && isListed(provider, wellKnown) ? wellKnown : undefined
}

/** A synonym of `Refund` is not a custom event for a vendor that does not take `Refund` as a custom event. */
const customName = ({ customEventName }: Provider, eventName: string) =>
  wellKnownEventOf(eventName) === 'Refund' && customEventName?.('Refund') === undefined
    ? undefined
    : customEventName?.(eventName)

/**
 * The vendor's name for an event. Undefined if the provider does not send the event. Without `secrets`, the customer's
 * mapping is unknown, and a provider with `eventMapping` may send any event.
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
