import type { Keyring } from '#account/keyring.ts'
import { type EventContext, openRecord, type RecordEvent, recordEvents } from '#event/record.ts'
import type { Journal } from '#store/store.ts'
import type { Stream } from '#stream/stream.ts'
import { compileCaptureRules } from './captureRules.ts'
import { type EventFacts, type Profile, readUserFacts, type UserFacts, updateProfile } from './profile.ts'
import { touchSession } from './session.ts'
import type { UserRef } from './storedProfile.ts'

/**
 * The profile of a user after an event. Events of visitors count as session activity; those of servers and plugins do not.
 */
export function profileAfter(
  before: Profile | undefined,
  { event, context }: Pick<RecordEvent, 'event' | 'context'>,
  userId: string,
  facts: UserFacts,
  eventFacts: EventFacts,
): Profile | undefined {
  const profile = updateProfile(before, facts, eventFacts)
  const isActivity = context.kind === undefined && !context.trusted && !context.isMadeByCode
  return profile && isActivity
    ? touchSession(profile, userId, { timestamp: event.timestamp, receivedAt: context.receivedAt })
    : profile
}

const isEmpty = (values: object) => Object.keys(values).length === 0

/**
 * True if the profile can be rebuilt from the first event of its user. It is then only stored when the id returns,
 * which most generated ids never do. Data that a look-up must find, or that is needed for longer than events are kept,
 * is stored at once.
 */
export const isInEvent = (
  { kind }: Pick<EventContext, 'kind'>,
  { keys, custom, captured }: UserFacts,
  { consent, history, customerKey }: EventFacts,
) => !(kind || consent || history || customerKey || keys.customerId) && isEmpty(custom) && isEmpty(captured)

const noCaptures = compileCaptureRules([])

export type EventProfileDeps = {
  store: { journal: Pick<Journal, 'firstEventOf'> }
  stream: Pick<Stream, 'read'>
  keys: Keyring
}

/**
 * Rebuilds the profile of a user without a stored one from the event for which the id was generated, if the event
 * still exists.
 */
export function openEventProfiles({ store, stream, keys }: EventProfileDeps) {
  return async ({ tag, userId }: UserRef): Promise<Profile | undefined> => {
    const first = await store.journal.firstEventOf(tag.tagId, userId)
    const record = first && (await stream.read(first.position))
    if (!record) return undefined
    await keys.findTeamKey(tag.teamId, record.payload)
    const received = recordEvents(openRecord(record.payload, tag.tagId, tag.teamId, keys))[first.index]
    if (received?.userId !== userId || received.context.hasExplicitUserId || received.isErased) return undefined
    const { event, context } = received
    const { source, ...place } = first.place
    const facts = readUserFacts(event, noCaptures, context.kind)
    const eventFacts = { at: event.timestamp, trusted: context.trusted, ...(source === 'request' && { place }) }
    return isInEvent(context, facts, eventFacts)
      ? profileAfter(undefined, received, userId, facts, eventFacts)
      : undefined
  }
}
