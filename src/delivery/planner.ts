import { withoutEvents } from '#event/erase.ts'
import { breathing } from '#kit/breath.ts'
import { insist } from '#kit/insist.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { DueDelivery, PlannedEvent } from '#store/store.ts'
import type { Entry, Leased } from '#stream/stream.ts'
import { type Agreed, openAgreed } from './agreed.ts'
import type { Body } from './body.ts'
import { type DeciderWorld, decide, type Written } from './decide.ts'
import type { Events } from './events.ts'
import type { Holds } from './hold.ts'
import type { Lanes } from './lanes.ts'
import type { Report } from './report.ts'

export type PlannerWorld = DeciderWorld & {
  events: Events
  holds: Pick<Holds, 'release'>
  lanes: Lanes
  report: Report
}

/** `breath`: whoever sends events waits for his answer while others' are planned. */
type PlanningWorld = PlannerWorld & { agreed: Agreed; breath: ReturnType<typeof breathing> }

/**
 * Bodies that are planned together, and events: what comes meanwhile of another team waits for them. And how many such groups are
 * being written while the next is planned.
 */
const bodiesAtOnce = 64
const eventsAtOnce = 128
const groupsAtOnce = 4
const poisonTries = 3
const pauseMs = 1_000

/** What came of bodies: their events as planned, what is being written of their users, what held events waited for that came, and what plugins added. */
type Planned = {
  events: PlannedEvent[]
  learned: Written[]
  agreed: { tag: Snapshot; waitsFor: string }[]
  added: Entry[]
}

const nothing = (): Planned => ({ events: [], learned: [], agreed: [], added: [] })

/**
 * Plans what flows in, until the signal: journal first, then the stream is told that the bodies are done, so that a crash
 * loses nothing. What a crash had left may be planned already, under other ids: all that the stream held at the start is
 * therefore delivered from the journal, which keeps the first plan.
 */
export async function planAll(world: PlannerWorld, signal: AbortSignal): Promise<void> {
  const on: PlanningWorld = { ...world, agreed: openAgreed(world), breath: breathing(world.clock) }
  const underWay = new Set<Promise<void>>()
  const oldUpTo = on.stream.last()
  let kept: Promise<void> = Promise.resolve()
  const start = (work: Promise<void>): Promise<void> => {
    const flight: Promise<void> = work.finally(() => underWay.delete(flight))
    underWay.add(flight)
    return flight
  }
  while (!signal.aborted) {
    const leased = await lease(on, signal)
    const group = nothing()
    const positions: number[] = []
    for (const body of leased) {
      if (await planBody(body, group, on)) positions.push(body.position)
      else void start(quarantine(body, on))
    }
    if (leased.length > 0) kept = both(kept, start(keep(group, positions, { oldUpTo, earlier: kept }, on)))
    // What was held goes before what came after the consent.
    if (group.agreed.length > 0) await kept
    while (underWay.size >= groupsAtOnce) await Promise.race(underWay)
  }
  await Promise.all(underWay)
}

/** Teams take turns. */
async function lease({ stream, snapshots, clock, log }: PlannerWorld, signal: AbortSignal): Promise<Leased[]> {
  const ownerOf = (tagId: string) => snapshots.get(tagId)?.teamId ?? tagId
  try {
    return await stream.lease(bodiesAtOnce, signal, { ownerOf, events: eventsAtOnce })
  } catch (error) {
    log({ level: 'error', message: 'could not read what came in', error })
    await clock.wait(pauseMs, signal)
    return []
  }
}

/** Adds the plan of a body to the group; false when the body does not open. */
async function planBody(leased: Leased, group: Planned, on: PlanningWorld): Promise<boolean> {
  const tag = on.snapshots.get(leased.tagId)
  const body = tag && open(leased, tag, on)
  if (!body) return false
  let deliveries = 0
  for (const index of leased.fresh) {
    await on.breath()
    const { planned, learned, waitsFor, agreedBy = [], isErased, added = [] } = await decide(body, index, tag, on)
    const { context, userId, isErased: isPurged } = body.events[index]!
    if (isErased && !isPurged) await purge(body.position, tag, { userId, indexes: [index] }, on)
    // Of what concerns no channel nothing is to be told; what it said is learnt.
    const queue = on.agreed.queueOf(tag.tagId, [planned.userId, planned.joined, waitsFor])
    if (context.kind === undefined || planned.deliveries.length > 0)
      group.events.push({ ...planned, ...(queue && { queue }) })
    deliveries += planned.deliveries.filter(({ status }) => status === 'pending').length
    group.learned.push(...learned)
    group.added.push(...added)
    if (!isHolding(tag)) continue
    for (const each of agreedBy) {
      on.agreed.add(tag.tagId, each)
      group.agreed.push({ tag, waitsFor: each })
    }
  }
  on.events.expect(body.position, deliveries)
  await purgeRepeats(leased, body, tag, on)
  return true
}

/** A repeat tells of a person where nothing would find it to be erased. */
async function purgeRepeats(
  { position, fresh }: Leased,
  { events }: Body,
  tag: Snapshot,
  on: PlannerWorld,
): Promise<void> {
  const known = new Set(fresh)
  const indexes = [...events.keys()].filter((index) => !known.has(index) && !events[index]!.isErased)
  if (indexes.length > 0) await purge(position, tag, { indexes }, on)
}

type What = Parameters<typeof withoutEvents>[2]

/** What came before its user was erased is erased when it is its turn. */
async function purge(position: number, tag: Snapshot, what: What, on: PlannerWorld): Promise<void> {
  const erase = (payload: Uint8Array) => withoutEvents(payload, tag, what, on.keys)
  await insist('purge what was erased', () => on.stream.rewrite(position, erase), on, on.giveUp)
}

const isHolding = ({ hold = 'off' }: Snapshot) => hold !== 'off'

function open(leased: Leased, tag: Snapshot, on: PlannerWorld): Body | undefined {
  try {
    return on.events.open(leased, tag)
  } catch (error) {
    on.log({ level: 'error', message: 'a body does not open', tagId: leased.tagId, position: leased.position, error })
    return undefined
  }
}

/** Holds nothing of what they came to: in a chain each would hold all before it, for as long as the process lives. */
const both = (one: Promise<void>, other: Promise<void>): Promise<void> => Promise.all([one, other]).then(() => {})

/**
 * Writes a group down and hands on what is to be delivered. `oldUpTo`: bodies up to this position may have been planned before.
 * `earlier`: when all is written that came before.
 */
async function keep(
  group: Planned,
  positions: readonly number[],
  { oldUpTo, earlier }: { oldUpTo: number; earlier?: Promise<void> },
  on: PlannerWorld,
): Promise<void> {
  const { events, learned, agreed, added } = group
  const write = () => on.store.journal.plan(events)
  if (events.length > 0 && !(await insist('write the plan', write, on, on.giveUp))) return
  on.report.planned(events)
  if (agreed.length > 0) await earlier // what is held is looked for where it is written
  for (const { tag, waitsFor } of agreed) await on.holds.release(tag.tagId, waitsFor)
  for (const event of events) handOn(event, event.position <= oldUpTo, on)
  await Promise.all([...learned.map(({ written }) => written), ...added.map((entry) => keepAdded(entry, on))])
  if (positions.length > 0) await insist('settle bodies', () => on.stream.settle(positions), on, on.giveUp)
}

const keepAdded = (entry: Entry, on: PlannerWorld) =>
  insist('keep what a plugin added', async () => void (await on.stream.append(entry)), on, on.giveUp)

function handOn({ deliveries, ...event }: PlannedEvent, isOld: boolean, { lanes, settled }: PlannerWorld): void {
  settled.ended(event)
  for (const { status, reason: _, ...delivery } of deliveries) {
    if (status !== 'pending') continue
    if (isOld) lanes.stored(delivery.scriptId)
    else lanes.offer(dueOf(event, delivery))
  }
}

const dueOf = (
  { tagId, position, index, receivedAt, queue }: Omit<PlannedEvent, 'deliveries'>,
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
  lane: 'fresh',
  nextAt: receivedAt,
  ...(queue && { queue }),
})

/** A body that does not open may do so when its tag has arrived here; one that never does blocks nothing. */
async function quarantine(body: Leased, on: PlanningWorld): Promise<void> {
  for (let tries = 1; tries < poisonTries && !on.giveUp.aborted; tries++) {
    await on.clock.wait(pauseMs, on.giveUp)
    const group = nothing()
    if (await planBody(body, group, on)) return keep(group, [body.position], { oldUpTo: body.position }, on)
  }
  const { tagId, position } = body
  on.log({ level: 'error', message: 'a body is given up: it does not open', tagId, position })
  await insist('settle bodies', () => on.stream.settle([position]), on, on.giveUp)
}
