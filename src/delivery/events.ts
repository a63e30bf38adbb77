import { readConsent } from '#consent/consent.ts'
import { type Identity, identityOf } from '#provider/identity.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { Leased } from '#stream/stream.ts'
import type { KnownUser, People } from '#user/people.ts'
import { type Told, tell, withoutPii } from '#user/person.ts'
import { type Body, keepBodies, openBody } from './body.ts'
import type { CapturesOf } from './captures.ts'
import { shape } from './shape.ts'
import { consentsOf, whoseIs } from './whose.ts'
import type { DeliveryWorld } from './world.ts'

/** Why there is nothing to be sent: its user was erased, or by now a plugin keeps it from every channel. */
type Nothing = 'erased' | 'filtered'

/**
 * An event as its channels are told of it, made once however many they are. `claimants`: where nothing was captured of its
 * person, those of whom something was and who claim its e-mail, seen last first.
 */
export type Outgoing = Told & {
  identity: Identity
  kind?: 'user'
  makers?: readonly string[]
  claimants?: readonly KnownUser[]
}

/** The events that are on their way. */
export type Events = {
  /** Opens a body and keeps it at hand. Throws when it does not open or is not JSON. */
  open(leased: Pick<Leased, 'position' | 'payload'>, tag: Snapshot): Body
  /** So many deliveries of the body at this position will ask what is outgoing: after the last it is not kept at hand. */
  expect(position: number, deliveries: number): void
  /** The body at this position; undefined when the stream has dropped it. Throws when it does not open. */
  at(position: number, tag: Snapshot): Promise<Body | undefined>
  /** `expired`: the stream has dropped the event. */
  outgoing(place: { position: number; index: number }, tag: Snapshot): Promise<Outgoing | Nothing | 'expired'>
}

export type EventsWorld = Pick<DeliveryWorld, 'stream' | 'keys' | 'brand' | 'plugins' | 'rates' | 'clock'> & {
  people: People
  captures: CapturesOf['ofTag']
}

export function openEvents(on: EventsWorld): Events {
  const shelf = keepBodies<Promise<Outgoing | Nothing>>(on.stream)
  const reading = new Map<number, Promise<ReturnType<typeof open> | undefined>>()

  const open = (leased: Pick<Leased, 'position' | 'payload'>, tag: Snapshot) =>
    shelf.keep(openBody(leased, tag, on.keys))
  async function read(position: number, tag: Snapshot) {
    const leased = await on.stream.read(position)
    return leased && open(leased, tag)
  }
  function at(position: number, tag: Snapshot) {
    const known = shelf.get(position) ?? reading.get(position)
    if (known) return known
    const now = read(position, tag).finally(() => reading.delete(position))
    reading.set(position, now)
    return now
  }

  return {
    open: (leased, tag) => open(leased, tag).body,
    expect: shelf.expect,
    at: async (position, tag) => (await at(position, tag))?.body,
    async outgoing({ position, index }, tag) {
      const opened = await at(position, tag)
      if (!opened) return 'expired'
      shelf.used(position)
      const known = opened.made.get(index)
      if (known) return known
      const made = make(opened.body, index, tag, on)
      opened.made.set(index, made)
      made.catch(() => opened.made.delete(index))
      return made
    },
  }
}

/** An event with all that is known of its person, and no more than the person shares. */
async function make(body: Body, index: number, tag: Snapshot, on: EventsWorld): Promise<Outgoing | Nothing> {
  const kept = body.events[index]!
  const { event, context } = kept
  const whose = await whoseIs(kept, tag, on)
  if (whose.isErased) return 'erased'
  const ran = shape(kept, { tag, whose }, on)
  if ('filtered' in ran) return 'filtered'
  const told = tell(ran.event, { ...whose, context })
  const { sharePii } = readConsent({ event, context, tag, brand: on.brand, known: consentsOf(whose) })
  const shared = sharePii ? told : withoutPii(told)
  const { kind, makers } = context
  const claimants = sharePii && hasNone(told.captured) ? whose.email?.claimants.filter(hasCaptured) : undefined
  return {
    ...shared,
    identity: identityOf(shared.person),
    ...(kind === 'user' && { kind }),
    ...(makers && { makers }),
    ...(claimants && claimants.length > 0 && { claimants }),
  }
}

const hasNone = (captured: object) => Object.keys(captured).length === 0
const hasCaptured = ({ profile }: KnownUser) => !hasNone(profile.captured)
