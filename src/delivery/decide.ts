import { broughtBy, readConsent, type StoredConsent } from '#consent/consent.ts'
import type { KeptEvent } from '#event/record.ts'
import { insist } from '#kit/insist.ts'
import type { Ran } from '#plugin/plugin.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { PlannedEvent } from '#store/store.ts'
import type { Entry } from '#stream/stream.ts'
import { learn, type Met, nothingSaid, type Profile } from '#user/profile.ts'
import type { Body } from './body.ts'
import { placeOf } from './place.ts'
import { type Asked, plan, planErased, planPoison } from './plan.ts'
import { addedTo, shape } from './shape.ts'
import { type Whose, whoseIs } from './whose.ts'
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
 * What came of an event: its plan, what is being written of its people, the user whose consent it brought, and the events
 * that plugins add to it.
 */
export type Decided = {
  planned: PlannedEvent
  learned: Written[]
  agreedBy?: string
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
  const { event, context } = kept
  const asked = { position, index, ...kept, tag, now: on.clock.now() }
  try {
    const whose = await lookUp(kept, tag, on)
    if (whose.isErased) return { planned: planErased(asked), learned: [], isErased: true }
    const ran = shape(kept, { tag, whose }, on)
    const planned = planAs(asked, whose, ran, on)
    const given = broughtBy(event, context.receivedAt, on.brand, tag)
    const learned = await remember({ ...asked, place: planned.place, ran }, whose, given, on)
    const agreedBy = given && whoAgrees(asked, whose)
    const added = 'more' in ran && ran.more?.map((made) => addedTo(kept, made, whose.userId, on))
    return { planned, learned, ...(agreedBy !== undefined && { agreedBy }), ...(added && { added }) }
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
  const known = { own: whose.own?.consent, joined: whose.joined?.profile.consent }
  const consent = readConsent({ event, context, tag, brand: on.brand, known })
  const shaped = 'filtered' in ran ? { isFiltered: true as const } : { event: ran.event }
  return plan({ ...asked, ...shaped, whose, consent, place }, on.providers)
}

/** Where the browser of this person was last: of the one who was found by the e-mail, where the caller named nobody. */
const lastPlace = ({ presented }: Learning['context'], { own, joined }: Whose) =>
  presented ? own?.place : joined?.profile.place

type Learning = Omit<Asked, 'consent' | 'whose'> & { ran: Ran }

/** Whose consent it is: of who presented the id; a trusted caller may bring that of somebody found by e-mail. */
function whoAgrees({ context }: Pick<Learning, 'context'>, { userId, joined }: Whose): string | undefined {
  if (context.presented) return userId
  return context.trusted ? joined?.userId : undefined
}

/**
 * Learns from an event. Its user can be found by e-mail if there will be more to find than this one event: not one that a
 * server's call made and nobody presented, or a person's offline purchases would be joined to each other and never to
 * the browser.
 */
async function remember(
  { event, context, tag, place, ran }: Learning,
  whose: Whose,
  given: StoredConsent | undefined,
  on: DeciderWorld,
): Promise<Written[]> {
  const { userId, own, joined } = whose
  const agreedBy = whoAgrees({ context }, whose)
  const { source, ...where } = place
  const said = context.kind === 'consent' ? nothingSaid : whose.said
  const findable = context.presented || context.origin !== undefined
  const at = event.timestamp
  const history = 'history' in ran ? { history: ran.history } : {}
  const isHere = source === 'request' && { place: where }
  const agrees = agreedBy === userId && { consent: given }
  const met: Met = { at, findable, ...isHere, ...(findable && history), ...agrees }
  const writing = [
    await change({ tag, userId }, own, (known) => learn(known, said, met), on, findable ? said.keys.email : undefined),
  ]
  if (joined && (agreedBy === joined.userId || 'history' in history)) {
    const meet: Met = { at, ...history, ...(agreedBy === joined.userId && { consent: given }) }
    const meeting = (known: Profile | undefined) => learn(known, nothingSaid, meet)
    writing.push(await change({ tag, userId: joined.userId }, joined.profile, meeting, on))
  }
  return writing.filter((each) => each !== undefined)
}

/** Changes what is known where there is anything to change; most events bring nothing new. */
async function change(
  whom: { tag: Snapshot; userId: string },
  known: Profile | undefined,
  learning: (known: Profile | undefined) => Profile | undefined,
  on: DeciderWorld,
  email?: string,
): Promise<Written | undefined> {
  const after = learning(known)
  if (!after || after === known) return undefined
  return on.people.change(whom, learning, email)
}
