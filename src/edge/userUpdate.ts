import { eventConsent } from '#consent/consent.ts'
import type { TagEvent } from '#contract/event.ts'
import { isTimestampAccepted, parseObject } from '#event/parseBody.ts'
import type { EventContext } from '#event/record.ts'
import { newId } from '#kit/id.ts'
import type { IdentifiedUser } from '#user/callerIdentity.ts'
import { noUserFacts, type Profile, readUserFacts, type UserFacts, updateProfile } from '#user/profile.ts'
import { appendEvents } from './append.ts'
import type { EdgeCall } from './edge.ts'

type Kind = NonNullable<EventContext['kind']>

/** The body of `/user`, `/data` and `/consent`: one object, with the fields of the page. */
export const parseUserUpdate = (body: Buffer): Record<string, unknown> => parseObject(body)

/**
 * A user update as an event of the stream. A sender that retries sends an `eventId`, and one that queues sends a
 * `timestamp`. A missing or invalid value is replaced by a new id and by `now`.
 */
export function toUserEvent(
  kind: Kind,
  { eventId, timestamp, ...fields }: Record<string, unknown>,
  now: number,
): TagEvent {
  const isId = typeof eventId === 'string' && eventId !== '' && eventId.length <= 500 && eventId.isWellFormed()
  return {
    ...fields,
    eventName: kind,
    eventId: isId ? eventId : newId('evt', now),
    timestamp: isTimestampAccepted(timestamp, now) ? timestamp : now,
  }
}

/**
 * Appends a user update to the stream, from which the worker updates the profile and sends it to the channels. The
 * profile is also updated here, so that the next call sees it. False for a duplicate, which changes nothing.
 */
export async function appendUserUpdate(
  call: EdgeCall,
  caller: IdentifiedUser,
  kind: Kind,
  event: TagEvent,
): Promise<boolean> {
  const receivedAt = call.edge.deps.clock.now()
  const body = Buffer.from(JSON.stringify(event))
  const [isFresh] = await appendEvents(call, { isArray: false, events: [{ event }] }, caller, {
    body,
    receivedAt,
    kind,
  })
  if (isFresh) await updateStoredProfile(call, caller, kind, event, receivedAt)
  return isFresh === true
}

/**
 * Updates the profile of the user id that the call sent. A trusted call without an id stores a consent for an e-mail:
 * for the user for whom a trusted call gave the e-mail first, else for a new user.
 */
async function updateStoredProfile(
  call: EdgeCall,
  caller: IdentifiedUser,
  kind: Kind,
  event: TagEvent,
  receivedAt: number,
): Promise<void> {
  const { edge, tag, trusted } = call
  const { people, brand, captures } = edge.deps
  const facts = readUserFacts(event, await captures.ofTag(tag), kind)
  const { email } = facts.keys
  const consent = eventConsent(event, receivedAt, brand, tag)
  const key = email === undefined ? undefined : people.emailKey(tag, email)
  const applyFacts = (applied: UserFacts) => (known: Profile | undefined) =>
    updateProfile(known, applied, { at: event.timestamp, consent })
  if (caller.hasExplicitUserId) {
    const applied = kind === 'consent' ? noUserFacts : facts
    const emailClaim =
      key !== undefined && kind !== 'consent' ? { key, isClaimed: true, isConfirmed: trusted } : undefined
    return void (await people.change({ tag, userId: caller.userId }, applyFacts(applied), emailClaim))
  }
  if (!trusted || key === undefined || email === undefined) return
  const { userId } = (await people.ownerOf(tag, key)) ?? caller
  const emailClaim = { key, isClaimed: false, isConfirmed: true }
  await people.change({ tag, userId }, applyFacts({ ...noUserFacts, keys: { email } }), emailClaim)
}
