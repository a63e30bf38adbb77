import { badRequest } from '#contract/fault.ts'
import type { DraftResults } from '#event/draftResults.ts'
import type { EventUsers } from '#event/ingest.ts'
import type { ParsedBody } from '#event/parseBody.ts'
import { readEmail } from '#user/profile.ts'
import type { EdgeCall } from './edge.ts'

/**
 * `?sync=true`: the response waits for the deliveries of its one event. Throws badRequest for an array. The deliveries
 * of an event with an e-mail depend on whose profiles the e-mail matches, so only a trusted caller may see them.
 */
export function isSyncRequest({ query, trusted }: EdgeCall, { isArray, events: [single] }: ParsedBody): boolean {
  if (!query.includes('sync=') || new URLSearchParams(query).get('sync') !== 'true') return false
  if (isArray) throw badRequest({ path: '', message: 'must be one event, because ?sync=true does not accept an array' })
  return trusted || !single?.event || readEmail(single.event) === undefined
}

/**
 * The states of the deliveries of the one event. Undefined for an untrusted caller if the event is a duplicate,
 * because the first event may be another user's, or if its user gave an e-mail before.
 */
export async function awaitDeliveries(
  { edge: { deps }, tag, trusted }: EdgeCall,
  users: EventUsers,
  { results: [draft] }: DraftResults,
  isNew: readonly boolean[],
) {
  if (!draft || (!trusted && isNew[0] !== true)) return undefined
  const deliveries = await deps.deliveriesOf(tag, draft.eventId, trusted)
  if (trusted || !users.hasExplicitUserId) return deliveries
  const profile = await deps.profiles.get({ tag, userId: users.userId })
  return profile?.keys.email === undefined ? deliveries : undefined
}
