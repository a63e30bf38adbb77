import type { Keyring } from '#account/keyring.ts'
import type { Entry, EventPlace, Stream } from '#stream/stream.ts'
import type { EventContext } from './record.ts'

type Caller = Pick<EventContext, 'tagId' | 'teamId' | 'trusted'>
type FindDeps = { stream: Pick<Stream, 'find'>; keys: Pick<Keyring, 'team'> }

/**
 * The keys by which the stream knows a repeat. Trusted and untrusted callers of a tag have one space of event ids each.
 * An event of a trusted caller is compared with those of trusted callers alone, so that nobody else can use up its id;
 * an event of an untrusted caller is compared with both.
 */
export function dedupKeys(
  eventIds: readonly string[],
  { tagId, teamId, trusted }: Caller,
  keys: Pick<Keyring, 'team'>,
): Pick<Entry, 'keys' | 'others'> {
  const team = keys.team(teamId)
  const inSpace = (isTrusted: boolean) => eventIds.map((eventId) => team.eventKey(tagId, eventId, isTrusted))
  return trusted ? { keys: inSpace(true) } : { keys: inSpace(false), others: inSpace(true) }
}

/** Where the events of this id lie: that of a trusted caller first, then that of an untrusted one. At most two. */
export async function placesOfId(
  eventId: string,
  { tagId, teamId }: Omit<Caller, 'trusted'>,
  { stream, keys }: FindDeps,
): Promise<EventPlace[]> {
  const team = keys.team(teamId)
  const found = await Promise.all([true, false].map((trusted) => stream.find(team.eventKey(tagId, eventId, trusted))))
  return found.filter((place) => place !== undefined)
}
