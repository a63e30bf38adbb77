import { readConsent } from '#consent/consent.ts'
import { userOf } from '#event/record.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { DueDelivery, PlannedEvent } from '#store/store.ts'
import type { Leased } from '#stream/stream.ts'
import type { Captures } from '#user/capture.ts'
import { learn, type Profile, saidIn } from '#user/profile.ts'
import type { Body, Events } from './events.ts'
import { insist } from './insist.ts'
import type { Lanes } from './lanes.ts'
import type { People } from './people.ts'
import { placeOf } from './place.ts'
import { type Asked, plan, planPoison } from './plan.ts'
import type { Report } from './report.ts'
import type { DeliveryWorld } from './world.ts'

export type PlannerWorld = DeliveryWorld & {
  events: Events
  people: People
  captures: Captures
  lanes: Lanes
  report: Report
  giveUp: AbortSignal
}

/** Bodies that are planned together, and how many such groups are being written while the next is planned. */
const bodiesAtOnce = 64
const groupsAtOnce = 4
const poisonTries = 3
const pauseMs = 1_000

/** What came of a body: its events as planned, and what is being written of their users. */
type Planned = { events: PlannedEvent[]; learned: Promise<void>[] }

/**
 * Plans what flows in, until the signal: journal first, then the stream is told that the bodies are done, so that a crash
 * loses nothing. What a crash had left may be planned already, under other ids: all that the stream held at the start is
 * therefore delivered from the journal, which keeps the first plan.
 */
export async function planAll(on: PlannerWorld, signal: AbortSignal): Promise<void> {
  const underWay = new Set<Promise<void>>()
  let old = on.stream.waiting()
  const start = (work: Promise<void>) => {
    const flight: Promise<void> = work.finally(() => underWay.delete(flight))
    underWay.add(flight)
  }
  while (!signal.aborted) {
    const leased = await lease(on, signal)
    const isOld = old > 0
    old -= leased.length
    const group: Planned = { events: [], learned: [] }
    const positions: number[] = []
    for (const body of leased) {
      if (await planBody(body, group, on)) positions.push(body.position)
      else start(quarantine(body, on))
    }
    if (leased.length > 0) start(keep(group, positions, isOld, on))
    while (underWay.size >= groupsAtOnce) await Promise.race(underWay)
  }
  await Promise.all(underWay)
}

async function lease({ stream, clock, log }: PlannerWorld, signal: AbortSignal): Promise<Leased[]> {
  try {
    return await stream.lease(bodiesAtOnce, signal)
  } catch (error) {
    log({ level: 'error', message: 'could not read what came in', error })
    await clock.wait(pauseMs, signal)
    return []
  }
}

/** Adds the plan of a body to the group; false when the body does not open. */
async function planBody(leased: Leased, group: Planned, on: PlannerWorld): Promise<boolean> {
  const tag = on.snapshots.get(leased.tagId)
  const body = tag && open(leased, tag, on)
  if (!body) return false
  for (const index of leased.fresh) group.events.push(await planEvent(body, index, tag, group.learned, on))
  return true
}

function open(leased: Leased, tag: Snapshot, on: PlannerWorld): Body | undefined {
  try {
    return on.events.open(leased, tag)
  } catch (error) {
    on.log({ level: 'error', message: 'a body does not open', tagId: leased.tagId, position: leased.position, error })
    return undefined
  }
}

async function planEvent(
  body: Body,
  index: number,
  tag: Snapshot,
  learned: Promise<void>[],
  on: PlannerWorld,
): Promise<PlannedEvent> {
  const { position, context } = body
  const event = body.events[index]!
  const known = await profileOf(body, index, tag, on)
  const asked = { position, index, event, context, tag, now: on.clock.now() }
  try {
    const place = placeOf(event, context, known?.place, on.locate)
    const consent = readConsent({ event, context, tag, brand: on.brand })
    const planned = plan({ ...asked, consent, place }, on.providers)
    learned.push(...remember({ ...asked, place }, known, on))
    return planned
  } catch (error) {
    on.log({ level: 'error', message: 'an event cannot be planned', tagId: tag.tagId, position, index, error })
    return planPoison(asked)
  }
}

/** What is known of the user of an event; nothing of one whose id was just made. */
async function profileOf(
  { context }: Body,
  index: number,
  tag: Snapshot,
  on: PlannerWorld,
): Promise<Profile | undefined> {
  if (!context.presented) return undefined
  let known: Profile | undefined
  const userId = userOf(context, index)
  const look = async () => {
    known = await on.people.get({ tag, userId })
  }
  await insist('read what is known of a user', look, on, on.giveUp)
  return known
}

/**
 * Learns from an event. Its user can be found by e-mail if there will be more to find than this one event: not one that a
 * server's call made and nobody presented, or a person's offline purchases would be joined to each other and never to
 * the browser.
 */
function remember(
  { index, event, context, tag, place }: Omit<Asked, 'consent'>,
  known: Profile | undefined,
  on: PlannerWorld,
): Promise<void>[] {
  const said = saidIn(event, on.captures)
  const { source, ...where } = place
  const findable = context.presented || context.origin !== undefined
  const met = { at: event.timestamp, findable, ...(source === 'request' && { place: where }) }
  const profile = learn(known, said, met)
  if (!profile || profile === known) return []
  return [on.people.put({ tag, userId: userOf(context, index) }, profile, findable ? said.keys.email : undefined)]
}

/** Writes a group down and hands on what is to be delivered. */
async function keep(group: Planned, positions: readonly number[], isOld: boolean, on: PlannerWorld): Promise<void> {
  const { events, learned } = group
  const write = () => on.store.journal.plan(events)
  if (events.length > 0 && !(await insist('write the plan', write, on, on.giveUp))) return
  on.report.planned(events)
  for (const event of events) handOn(event, isOld, on.lanes)
  await Promise.all(learned)
  if (positions.length > 0) await insist('settle bodies', () => on.stream.settle(positions), on, on.giveUp)
}

function handOn({ deliveries, ...event }: PlannedEvent, isOld: boolean, lanes: Lanes): void {
  for (const { status, reason: _, ...delivery } of deliveries) {
    if (status !== 'pending') continue
    if (isOld) lanes.stored(delivery.scriptId)
    else lanes.offer(dueOf(event, delivery))
  }
}

const dueOf = (
  { tagId, position, index, receivedAt }: Omit<PlannedEvent, 'deliveries'>,
  { deliveryId, scriptId, providerId }: Pick<DueDelivery, 'deliveryId' | 'scriptId' | 'providerId'>,
): DueDelivery => ({
  deliveryId,
  scriptId,
  providerId,
  tagId,
  position,
  index,
  receivedAt,
  attempts: 0,
  free: 0,
  nextAt: receivedAt,
})

/** A body that does not open may do so when its tag has arrived here; one that never does blocks nothing. */
async function quarantine(body: Leased, on: PlannerWorld): Promise<void> {
  for (let tries = 1; tries < poisonTries && !on.giveUp.aborted; tries++) {
    await on.clock.wait(pauseMs, on.giveUp)
    const group: Planned = { events: [], learned: [] }
    if (await planBody(body, group, on)) return keep(group, [body.position], true, on)
  }
  const { tagId, position } = body
  on.log({ level: 'error', message: 'a body is given up: it does not open', tagId, position })
  await insist('settle bodies', () => on.stream.settle([position]), on, on.giveUp)
}
