import { readConsent } from '#consent/consent.ts'
import type { TagEvent } from '#contract/event.ts'
import { type EventContext, eventsOf, openRecord, userOf } from '#event/record.ts'
import { type Identity, identityOf } from '#provider/identity.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { Leased } from '#stream/stream.ts'
import type { Captures } from '#user/capture.ts'
import { type Told, tell, withoutPii } from '#user/person.ts'
import { saidIn } from '#user/profile.ts'
import type { People } from './people.ts'
import type { DeliveryWorld } from './world.ts'

/** A body of the stream, opened. */
export type Body = { position: number; bytes: number; context: EventContext; events: readonly TagEvent[] }

/** An event as its channels are told of it, made once however many they are. */
export type Outgoing = Told & { identity: Identity }

/** The events that are on their way. */
export type Events = {
  /** Opens a body and keeps it at hand. Throws when it does not open or is not JSON. */
  open(leased: Pick<Leased, 'position' | 'payload'>, tag: Snapshot): Body
  /** Undefined when the stream has dropped the event. */
  outgoing(place: { position: number; index: number }, tag: Snapshot): Promise<Outgoing | undefined>
}

/** How much of sealed bodies is kept open: in memory it is some ten times as much. What goes is read again when it is needed. */
const keptBytes = 4 * 1024 * 1024

type Kept = { body: Body; outgoing: Map<number, Promise<Outgoing>> }

export type EventsWorld = Pick<DeliveryWorld, 'stream' | 'keys' | 'brand'> & { people: People; captures: Captures }

export function openEvents(on: EventsWorld): Events {
  const kept = new Map<number, Kept>()
  const reading = new Map<number, Promise<Kept | undefined>>()
  let bytes = 0

  function keep(body: Body): Kept {
    const fresh = { body, outgoing: new Map() }
    drop(body.position)
    kept.set(body.position, fresh)
    bytes += body.bytes
    for (const oldest of kept.keys()) {
      if (bytes <= keptBytes || oldest === body.position) break
      drop(oldest)
    }
    return fresh
  }
  function drop(position: number): void {
    bytes -= kept.get(position)?.body.bytes ?? 0
    kept.delete(position)
  }
  function open({ position, payload }: Pick<Leased, 'position' | 'payload'>, { tagId, teamId }: Snapshot): Kept {
    const { context, body } = openRecord(payload, tagId, teamId, on.keys)
    return keep({ position, bytes: payload.length, context, events: eventsOf(body) as TagEvent[] })
  }
  async function read(position: number, tag: Snapshot): Promise<Kept | undefined> {
    const leased = await on.stream.read(position)
    return leased && open(leased, tag)
  }
  function at(position: number, tag: Snapshot): Kept | Promise<Kept | undefined> {
    const known = kept.get(position)
    if (known) return known
    const before = reading.get(position)
    if (before) return before
    const now = read(position, tag).finally(() => reading.delete(position))
    reading.set(position, now)
    return now
  }

  return {
    open: (leased, tag) => open(leased, tag).body,
    async outgoing({ position, index }, tag) {
      const opened = await at(position, tag)
      if (!opened) return undefined
      const known = opened.outgoing.get(index)
      if (known) return known
      const made = make(opened.body, index, tag, on)
      opened.outgoing.set(index, made)
      made.catch(() => opened.outgoing.delete(index))
      return made
    },
  }
}

/** An event with all that is known of its person, and no more than the person shares. */
async function make({ context, events }: Body, index: number, tag: Snapshot, on: EventsWorld): Promise<Outgoing> {
  const event = events[index]!
  const said = saidIn(event, on.captures)
  const userId = userOf(context, index)
  const own = context.presented ? await on.people.get({ tag, userId }) : undefined
  const email = said.keys.email ?? own?.keys.email
  const found = email === undefined ? undefined : await on.people.byEmail(tag, email)
  const joined = found?.userId === userId ? undefined : found
  const told = tell(event, { context, userId, said, own, joined })
  const { sharePii } = readConsent({ event, context, tag, brand: on.brand })
  const shared = sharePii ? told : withoutPii(told)
  return { ...shared, identity: identityOf(shared.person) }
}
