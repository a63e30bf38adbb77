import type { TagEvent } from '#contract/event.ts'
import type { Place } from '#contract/journey.ts'
import type { EventContext } from '#event/record.ts'
import type { Locate, Located } from '#geo/locate.ts'

/**
 * Where an event happened. A browser is where its request comes from; a server tells of somebody who is where the
 * trusted payload's `ip` says, else where this user's browser was last.
 */
export function placeOf(event: TagEvent, context: EventContext, last: Located | undefined, locate: Locate): Place {
  if (context.trusted && typeof event.ip === 'string') {
    const place = locate(event.ip)
    if (place.country) return { ...place, source: 'payload' }
  }
  if (context.origin !== undefined && (context.ip !== undefined || context.place)) {
    const place = requestPlace(context, locate)
    return place.country ? { ...place, source: 'request' } : { source: 'unknown' }
  }
  return last?.country ? { ...last, source: 'user' } : { source: 'unknown' }
}

/** A trusted CDN knows better than the file; the file may know which part of the country it is, where the CDN does not say. */
function requestPlace({ ip, place: told }: EventContext, locate: Locate): Located {
  if (told?.region) return told
  const found = ip === undefined ? {} : locate(ip)
  return !told || found.country === told.country ? found : told
}
