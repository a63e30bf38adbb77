import { broughtBy, readConsent, type StoredConsent } from '#consent/consent.ts'
import type { KeptEvent } from '#event/record.ts'
import { insist } from '#kit/insist.ts'
import type { Ran } from '#plugin/plugin.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { PlannedEvent } from '#store/store.ts'
import type { Entry } from '#stream/stream.ts'
import { isNamed, learn, type Met, type Naming, nothingSaid, type Profile, type Said } from '#user/profile.ts'
import type { Body } from './body.ts'
import { placeOf } from './place.ts'
import { type Asked, plan, planErased, planPoison } from './plan.ts'
import { addedTo, shape } from './shape.ts'
import { consentsOf, isConfirming, lastPlace, type Whose, waitingFor, whoseIs } from './whose.ts'
import type { DeliveryWorld } from './world.ts'

export type DeciderWorld = DeliveryWorld & Parameters<typeof whoseIs>[2] & { giveUp: AbortSignal }
/** What deciding again stands on: nothing is learnt. */
export type AgainWorld = Pick<
  DeciderWorld,
  'clock' | 'log' | 'people' | 'captures' | 'giveUp' | 'brand' | 'locate' | 'providers' | 'plugins' | 'rates'
>

/** Resolves when it is on disk. In an object: an async function that gave the promise itself would wait for it. */
export type Written = { written: Promise<void> }

/**
 * What came of an event: its plan, what is being written of its people, what held events may wait for that it brought
 * (`Whose.waitsFor`), what it would wait for itself, and the events that plugins add to it.
 */
export type Decided = {
  planned: PlannedEvent
  learned: Written[]
  agreedBy?: readonly string[]
  waitsFor?: string
  isErased?: true
  added?: readonly Entry[]
}

/**
 * Decides about the event at this place of a body, and learns from it: who it is of, where that was, what they agreed to,
 * and so which channels get it. Never throws.
 */
export async function decide(body: Body, index: number, tag: Snapshot, on: DeciderWorld): Promise<Decided> {
  const { position } = body
  const kept = body.events[index]!
  const { event, context, userId } = kept
  const asked = { position, index, ...kept, tag, now: on.clock.now() }
  try {
    const whose = await lookUp(kept, tag, on)
    if (whose.isErased) return { planned: planErased(asked), learned: [], isErased: true }
    const ran = shape(kept, { tag, whose }, on)
    const planned = planAs(asked, whose, ran, on)
    const given = broughtBy(event, context.receivedAt, on.brand, tag)
    const learned = await remember({ ...asked, place: planned.place, ran }, whose, given, on)
    const agreedBy = given && isStored(context, whose) && agreements(whose)
    const added = 'more' in ran && ran.more?.map((made) => addedTo(kept, made, userId, on))
    const { waitsFor } = whose
    return { planned, learned, waitsFor, ...(agreedBy && { agreedBy }), ...(added && { added }) }
  } catch (error) {
    on.log({ level: 'error', message: 'an event cannot be planned', tagId: tag.tagId, position, index, error })
    return { planned: planPoison(asked), learned: [] }
  }
}

/** What of an event goes where, by what is known of its people now. Learns nothing. */
export async function decideAgain(body: Body, index: number, tag: Snapshot, on: AgainWorld): Promise<PlannedEvent> {
  const kept = body.events[index]!
  const asked = { position: body.position, index, ...kept, tag, now: on.clock.now() }
  const whose = await lookUp(kept, tag, on)
  return whose.isErased ? planErased(asked) : planAs(asked, whose, shape(kept, { tag, whose }, on), on)
}

async function lookUp(kept: KeptEvent, tag: Snapshot, on: AgainWorld): Promise<Whose> {
  let whose: Whose | undefined
  const look = async () => {
    whose = await whoseIs(kept, tag, on)
  }
  await insist('read what is known of a user', look, on, on.giveUp)
  if (!whose) throw new Error('stopped before it was known whose the event is')
  return whose
}

function planAs(
  asked: Omit<Asked, 'consent' | 'place' | 'whose'>,
  whose: Whose,
  ran: Ran,
  on: AgainWorld,
): PlannedEvent {
  const { event, context, tag } = asked
  const place = placeOf(event, context, lastPlace(context, whose), on.locate)
  const consent = readConsent({ event, context, tag, brand: on.brand, known: consentsOf(whose) })
  const shaped = 'filtered' in ran ? { isFiltered: true as const } : { event: ran.event }
  return plan({ ...asked, ...shaped, whose, consent, place }, on.providers)
}

type Learning = Omit<Asked, 'consent' | 'whose'> & { ran: Ran }

/** Whether the consent that an event brings is stored: of who presented the id, or of an e-mail that a trusted caller names. */
const isStored = ({ presented, trusted }: Learning['context'], { email }: Whose) =>
  presented || (trusted && email !== undefined)

/** Held events that wait for this user, or for anybody who is known by the e-mail, are decided about again. */
const agreements = ({ userId, email }: Whose): string[] => (email ? [userId, waitingFor(email.key)] : [userId])

/**
 * How a user is known by the e-mail of an event. One that a server's call made and nobody presented claims none: offline
 * purchases would be joined to each other. A trusted call that presents no id has the e-mail's own user.
 */
function namingOf({ context, said, email }: Pick<Learning, 'context'> & Whose): Naming | undefined {
  if (!email || said.keys.email === undefined) return undefined
  const isClaimed = context.presented || (context.origin !== undefined && !context.trusted)
  const isConfirmed = isConfirming(context, said)
  return isClaimed || isConfirmed ? { key: email.key, isClaimed, isConfirmed } : undefined
}

/** Learns from an event, of its user alone: what it says, where it was, what was agreed to, what plugins remember. */
async function remember(
  { event, context, tag, place, ran }: Learning,
  whose: Whose,
  given: StoredConsent | undefined,
  on: DeciderWorld,
): Promise<Written[]> {
  const naming = namingOf({ context, ...whose })
  const isKnownAgain = context.presented || context.origin !== undefined || naming !== undefined
  const said = context.kind === 'consent' ? consentSaid(context, whose) : whose.said
  const { source, ...where } = place
  const met: Met = {
    at: event.timestamp,
    ...(source === 'request' && { place: where }),
    ...(isKnownAgain && 'history' in ran && { history: ran.history }),
    ...(isStored(context, whose) && { consent: given }),
  }
  const whom = { tag, userId: whose.userId }
  const isNaming = context.kind === 'consent' && context.presented ? undefined : naming
  const writing = await change(whom, whose.own, (known) => learn(known, said, met), on, isNaming)
  return writing ? [writing] : []
}

/** A consent says nothing of its person but whose it is: where a trusted caller presents no id, the e-mail says it. */
const consentSaid = ({ presented }: Learning['context'], { said }: Whose): Said =>
  presented || said.keys.email === undefined ? nothingSaid : { ...nothingSaid, keys: { email: said.keys.email } }

/** Changes what is known where there is anything to change; most events bring nothing new. */
async function change(
  whom: { tag: Snapshot; userId: string },
  known: Profile | undefined,
  learning: (known: Profile | undefined) => Profile | undefined,
  on: DeciderWorld,
  naming?: Naming,
): Promise<Written | undefined> {
  const after = learning(known)
  const isNew = after !== known || (naming && after && !isNamed(after, naming))
  return after && isNew ? on.people.change(whom, learning, naming) : undefined
}
