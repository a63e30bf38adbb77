import type { Keyring } from '#account/keyring.ts'
import type { EventPlace, Stream, StreamEntry } from '#stream/stream.ts'
import type { EventContext } from './record.ts'

type Caller = Pick<EventContext, 'tagId' | 'teamId' | 'trusted'>
type FindDeps = { stream: Pick<Stream, 'find'>; keys: Pick<Keyring, 'team'> }

/**
 * The deduplication keys of events. Each tag has two spaces of event ids: trusted and untrusted callers. An event of
 * a trusted caller is only compared with trusted events, so that no other caller can use up its id. An event of an
 * untrusted caller is compared with both spaces.
 */
export function dedupKeys(
  eventIds: readonly string[],
  { tagId, teamId, trusted }: Caller,
  keys: Pick<Keyring, 'team'>,
): Pick<StreamEntry, 'keys' | 'others'> {
  const team = keys.team(teamId)
  const inSpace = (isTrusted: boolean) => eventIds.map((eventId) => team.eventKey(tagId, eventId, isTrusted))
  return trusted ? { keys: inSpace(true) } : { keys: inSpace(false), others: inSpace(true) }
}

/**
 * The stream positions of the events with this id, at most two: the trusted caller's first, then the untrusted
 * caller's.
 */
export async function placesOfId(
  eventId: string,
  { tagId, teamId }: Omit<Caller, 'trusted'>,
  { stream, keys }: FindDeps,
): Promise<EventPlace[]> {
  const team = keys.team(teamId)
  const found = await Promise.all([true, false].map((trusted) => stream.find(team.eventKey(tagId, eventId, trusted))))
  return found.filter((place) => place !== undefined)
}
