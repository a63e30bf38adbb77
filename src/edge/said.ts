import { broughtBy } from '#consent/consent.ts'
import type { TagEvent } from '#contract/event.ts'
import { isTimely, readObject } from '#event/read.ts'
import type { EventContext } from '#event/record.ts'
import { newId } from '#kit/id.ts'
import type { NamedUser } from '#user/name.ts'
import { learn, nothingSaid, type Profile, saidIn } from '#user/profile.ts'
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

/** Who presented an id is known by it; who did not was found by e-mail, and agrees to something by a trusted call. */
async function know(call: Call, named: NamedUser, kind: Kind, event: TagEvent, receivedAt: number): Promise<void> {
  const { edge, tag } = call
  const { people, brand, captures } = edge.on
  const all = saidIn(event, await captures.ofTag(tag), kind)
  const said = kind === 'consent' ? nothingSaid : all
  const consent = broughtBy(event, receivedAt, brand, tag)
  const learnt = (known: Profile | undefined) => learn(known, said, { at: event.timestamp, findable: true, consent })
  if (named.presented) return void (await people.change({ tag, userId: named.userId }, learnt, said.keys.email))
  const found = call.trusted && all.keys.email !== undefined ? await people.byEmail(tag, all.keys.email) : undefined
  if (found) await people.change({ tag, userId: found.userId }, learnt)
}
