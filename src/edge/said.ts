import { broughtBy } from '#consent/consent.ts'
import type { TagEvent } from '#contract/event.ts'
import { isTimely, readObject } from '#event/read.ts'
import type { EventContext } from '#event/record.ts'
import { newId } from '#kit/id.ts'
import type { NamedUser } from '#user/name.ts'
import { learn, nothingSaid, type Profile, type Said, saidIn } from '#user/profile.ts'
import type { Call } from './edge.ts'
import { keep } from './keep.ts'

type Kind = NonNullable<EventContext['kind']>

/** The body of a call that says something of a person: one object, with the page around it. */
export const readSaid = (body: Buffer): Record<string, unknown> => readObject(body)

/**
 * What a call says of a person, as it flows on beside the events. A sender that may send it again gives it an `eventId`,
 * and a `timestamp` when it was kept for a while; those that are none are made here.
 */
export function saying(kind: Kind, { eventId, timestamp, ...said }: Record<string, unknown>, now: number): TagEvent {
  const isId = typeof eventId === 'string' && eventId !== '' && eventId.length <= 500 && eventId.isWellFormed()
  return {
    ...said,
    eventName: kind,
    eventId: isId ? eventId : newId('evt', now),
    timestamp: isTimely(timestamp, now) ? timestamp : now,
  }
}

/**
 * Keeps what a call says of a person: in the stream, on disk, where the worker learns it and hands it to the channels; and
 * it is known here at once, so that the next call sees it. A repeat is known already.
 */
export async function keepSaid(call: Call, named: NamedUser, kind: Kind, event: TagEvent): Promise<boolean> {
  const receivedAt = call.edge.on.clock.now()
  const body = Buffer.from(JSON.stringify(event))
  const [isFresh] = await keep(call, { isArray: false, events: [{ event }] }, named, { body, receivedAt, kind })
  if (isFresh) await know(call, named, kind, event, receivedAt)
  return isFresh === true
}

/**
 * Who presented an id is known by it. A trusted call that presents none may say what the user of an e-mail agrees to: the one
 * that a trusted call gave the e-mail for first, else a user of its own.
 */
async function know(call: Call, named: NamedUser, kind: Kind, event: TagEvent, receivedAt: number): Promise<void> {
  const { edge, tag, trusted } = call
  const { people, brand, captures } = edge.on
  const all = saidIn(event, await captures.ofTag(tag), kind)
  const { email } = all.keys
  const consent = broughtBy(event, receivedAt, brand, tag)
  const key = email === undefined ? undefined : people.emailKey(tag, email)
  const learnt = (said: Said) => (known: Profile | undefined) => learn(known, said, { at: event.timestamp, consent })
  if (named.presented) {
    const said = kind === 'consent' ? nothingSaid : all
    const naming = key !== undefined && kind !== 'consent' ? { key, isClaimed: true, isConfirmed: trusted } : undefined
    return void (await people.change({ tag, userId: named.userId }, learnt(said), naming))
  }
  if (!trusted || key === undefined || email === undefined) return
  const { userId } = (await people.ownerOf(tag, key)) ?? named
  const naming = { key, isClaimed: false, isConfirmed: true }
  await people.change({ tag, userId }, learnt({ ...nothingSaid, keys: { email } }), naming)
}
