import type { TagEvent } from '#contract/event.ts'
import type { Place } from '#contract/journey.ts'
import type { EventContext } from '#event/record.ts'
import type { Locate, Location } from '#geo/locate.ts'

/**
 * The location of an event. A browser's event: the location of the request. A server's event: the location of `ip` in a
 * trusted payload, else the last location of the user's browser.
 */
export function eventLocation(
  event: TagEvent,
  context: EventContext,
  last: Location | undefined,
  locate: Locate,
): Place {
  if (context.trusted && typeof event.ip === 'string') {
    const place = locate(event.ip)
    if (place.country) return { ...place, source: 'payload' }
  }
  if (context.origin !== undefined && (context.ip !== undefined || context.place)) {
    const place = requestLocation(context, locate)
    return place.country ? { ...place, source: 'request' } : { source: 'unknown' }
  }
  return last?.country ? { ...last, source: 'user' } : { source: 'unknown' }
}

/**
 * The location from a trusted CDN takes precedence over the database. The database adds the region if the country is
 * the same.
 */
function requestLocation({ ip, place: cdnPlace }: EventContext, locate: Locate): Location {
  if (cdnPlace?.region) return cdnPlace
  const ipPlace = ip === undefined ? {} : locate(ip)
  return !cdnPlace || ipPlace.country === cdnPlace.country ? ipPlace : cdnPlace
}
