import type { SlotOwnership } from '#cluster/cluster.ts'
import { purgeEvents } from '#event/eraseEvents.ts'
import type { Activity } from '#kit/activity.ts'
import { retryUntilDone } from '#kit/retryUntilDone.ts'
import { isTracing, linksTo, traced } from '#kit/trace.ts'
import { yieldFromDelivery } from '#kit/yieldToEventLoop.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { PlanWrite } from '#store/journal.ts'
import type { PlannedEvent } from '#store/store.ts'
import type { LeasedRecord, StreamEntry } from '#stream/stream.ts'
import type { AttemptReport } from './attemptReport.ts'
import { poisonTries } from './attemptResult.ts'
import { type DeciderDeps, decide, type PendingWrite } from './decide.ts'
import type { Dispatcher } from './dispatcher.ts'
import { dispatchPlanned } from './dispatchPlanned.ts'
import type { HeldEvents } from './heldEvents.ts'
import { type LateTags, openLateTags } from './lateTags.ts'
import type { OutboundEvents } from './outboundEvents.ts'
import { planUnreadable } from './plan.ts'
import { openRecentConsents, type RecentConsents } from './recentConsents.ts'
import type { OpenedRecord } from './recordCache.ts'

export type PlannerDeps = DeciderDeps & {
  events: OutboundEvents
  heldEvents: Pick<HeldEvents, 'release'>
  dispatcher: Dispatcher
  report: AttemptReport
  ownership: Pick<SlotOwnership, 'owns'>
  /** Records count as work in progress until they are written. */
  activity: Activity
}

/** `yieldIfDue`: planning yields to the event loop, so that requests are answered meanwhile. */
type PlanningDeps = PlannerDeps & { recentConsents: RecentConsents; lateTags: LateTags; yieldIfDue: YieldIfDue }
type YieldIfDue = ReturnType<typeof yieldFromDelivery>

/**
 * The maximum records and events that are planned together, because events of other teams wait meanwhile. The third
 * limit: groups that may be in writing while the next one is planned.
 */
const maxBodies = 64
const maxEvents = 128
const maxGroupsInFlight = 4
const pauseMs = 1_000

/**
 * The plan of a group of records: planned events, pending profile writes, consents that release held events, added
 * events, and the positions of records that may have been planned before.
 */
type PlannedGroup = {
  events: PlannedEvent[]
  profileWrites: PendingWrite[]
  consents: { tag: Snapshot; waitsFor: string }[]
  added: StreamEntry[]
  mayBePlanned: Set<number>
}

const emptyGroup = (): PlannedGroup => ({
  events: [],
  profileWrites: [],
  consents: [],
  added: [],
  mayBePlanned: new Set(),
})

/**
 * Plans incoming records until the signal. Writes the plan to the journal before it settles the records in the
 * stream, so that a crash loses nothing. Records that were in the stream at the start may already be planned, with
 * other delivery ids: their deliveries are fetched from the journal, which keeps the first plan.
 */
export async function runPlanner(deps: PlannerDeps, signal: AbortSignal): Promise<void> {
  const planningDeps: PlanningDeps = {
    ...deps,
    recentConsents: openRecentConsents(deps),
    lateTags: openLateTags(deps),
    yieldIfDue: yieldFromDelivery(deps.clock),
  }
  const writes = new Set<Promise<void>>()
  let previousWrites: Promise<void> = Promise.resolve()
  const track = (work: Promise<void>): Promise<void> => {
    const tracked: Promise<void> = work.finally(() => writes.delete(tracked))
    writes.add(tracked)
    return deps.activity.run(() => tracked)
  }
  async function planRecords(leased: readonly LeasedRecord[]): Promise<void> {
    const group = emptyGroup()
    const positions: number[] = []
    await planningDeps.lateTags.readFor(leased)
    for (const record of leased) {
      if (await planRecord(record, group, planningDeps)) positions.push(record.position)
      else void track(quarantine(record, planningDeps))
    }
    previousWrites = afterBoth(previousWrites, track(writeGroup(group, positions, previousWrites, planningDeps)))
    // Held events are released before events that arrived after the consent.
    if (group.consents.length > 0) await previousWrites
  }
  while (!signal.aborted) {
    const leased = await lease(planningDeps, signal)
    // A slot may have been released since its records were leased: its next owner leases them.
    const owned = leased.filter(({ tagId, slot }) => deps.ownership.owns(tagId, slot))
    if (owned.length > 0) await deps.activity.run(() => planRecords(owned))
    while (writes.size >= maxGroupsInFlight) await Promise.race(writes)
  }
  await Promise.all(writes)
}

/** Leases the next records, in fair turns of teams. */
async function lease({ stream, snapshots, clock, log }: PlannerDeps, signal: AbortSignal): Promise<LeasedRecord[]> {
  const ownerOf = (tagId: string) => snapshots.get(tagId)?.teamId ?? tagId
  try {
    return await stream.lease(maxBodies, signal, { ownerOf, events: maxEvents })
  } catch (error) {
    log({ level: 'error', message: 'could not lease records of the stream', error })
    await clock.wait(pauseMs, signal)
    return []
  }
}

/** Adds the plan of a record to the group; false if the record cannot be opened. */
async function planRecord(leased: LeasedRecord, group: PlannedGroup, deps: PlanningDeps): Promise<boolean> {
  const tag = deps.snapshots.get(leased.tagId)
  const record = tag && open(leased, tag, deps)
  if (!record) return false
  if (leased.mayBePlanned) group.mayBePlanned.add(leased.position)
  const release = await readUsersAhead(leased, record, tag, deps)
  let deliveries = 0
  for (const index of leased.newIndexes) {
    await deps.yieldIfDue()
    const plan = () => planEvent({ record, index, tag, slot: leased.slot }, group, deps)
    deliveries += isTracing() ? await traced('plan', planSpan(record, index), plan) : await plan()
  }
  release()
  deps.events.expect(record.position, deliveries)
  await purgeRepeats(leased, record, tag, deps)
  return true
}

const nothing = () => {}
const planSpan = ({ events }: OpenedRecord, index: number) => ({ links: linksTo([events[index]!.context.traceparent]) })

/** Reads the users of a record in one batch. An event with a generated user id has no user yet. */
async function readUsersAhead(
  { newIndexes }: LeasedRecord,
  { events }: OpenedRecord,
  tag: Snapshot,
  { profiles }: PlannerDeps,
): Promise<() => void> {
  const known = newIndexes.flatMap((index) => {
    const { context, userId } = events[index]!
    return context.hasExplicitUserId ? userId : []
  })
  const userIds = [...new Set(known)]
  return userIds.length > 1 ? profiles.readAhead(tag, userIds) : nothing
}

/** Adds the plan of one event to the group. Returns the number of its deliveries that wait for an attempt. */
async function planEvent(
  { record, index, tag, slot }: { record: OpenedRecord; index: number; tag: Snapshot; slot: number | undefined },
  group: PlannedGroup,
  deps: PlanningDeps,
): Promise<number> {
  const decision = await decide(record, index, tag, deps)
  const { planned, resolved, profileWrites, waitsFor, consentKeys = [], isErased, isPoison, added = [] } = decision
  const { context, userId, isErased: isPurged } = record.events[index]!
  if (isErased && !isPurged) await purge(record.position, tag, { userId, indexes: [index] }, deps)
  const released = isHolding(tag) ? consentKeys : []
  for (const each of released) {
    deps.recentConsents.add(tag.tagId, each) // the event itself queues behind the events that it releases
    group.consents.push({ tag, waitsFor: each })
  }
  // A user update or consent without deliveries only updates the profile. It is only journalled if it could not be
  // planned.
  const orderKey = deps.recentConsents.queueOf(tag.tagId, [planned.userId, planned.emailMatch, waitsFor])
  if (context.kind === undefined || isPoison || planned.deliveries.length > 0)
    group.events.push({ ...planned, ...(orderKey && { orderKey }), ...(slot !== undefined && { slot }) })
  group.profileWrites.push(...profileWrites)
  group.added.push(...added)
  const pending = planned.deliveries.filter(({ status }) => status === 'pending').length
  if (resolved && pending > 0) deps.events.keepDecision(planned, resolved)
  return pending
}

/** Purges duplicates: they contain personal data, and an erasure finds only the first copy of an event. */
async function purgeRepeats(
  { position, newIndexes }: LeasedRecord,
  { events }: OpenedRecord,
  tag: Snapshot,
  deps: PlannerDeps,
): Promise<void> {
  const newSet = new Set(newIndexes)
  const indexes = [...events.keys()].filter((index) => !newSet.has(index) && !events[index]!.isErased)
  if (indexes.length > 0) await purge(position, tag, { indexes }, deps)
}

type PurgeTarget = Parameters<typeof purgeEvents>[2]

/** Purges events of a record in the stream. */
async function purge(position: number, tag: Snapshot, target: PurgeTarget, deps: PlannerDeps): Promise<void> {
  const erase = (payload: Uint8Array) => purgeEvents(payload, tag, target, deps.keys)
  await retryUntilDone('purge erased events', () => deps.stream.rewrite(position, erase), deps, deps.giveUp)
}

const isHolding = ({ hold = 'off' }: Snapshot) => hold !== 'off'

function open(leased: LeasedRecord, tag: Snapshot, deps: PlannerDeps): OpenedRecord | undefined {
  try {
    return deps.events.open(leased, tag)
  } catch (error) {
    deps.log({
      level: 'error',
      message: 'could not decrypt a record',
      tagId: leased.tagId,
      position: leased.position,
      error,
    })
    return undefined
  }
}

/** Resolves to undefined, because a chain of results would keep all earlier ones in memory. */
const afterBoth = (one: Promise<void>, other: Promise<void>): Promise<void> => Promise.all([one, other]).then(() => {})

function planWrite(events: readonly PlannedEvent[], deps: PlannerDeps): PlanWrite {
  const plan = () => deps.store.journal.plan(events)
  const written = events.length > 0 ? retryUntilDone('write the plan', plan, deps, deps.giveUp) : Promise.resolve(true)
  const write: PlanWrite = { isWritten: false, written }
  void written.then((isWritten) => {
    write.isWritten = isWritten
  })
  return write
}

/**
 * Writes a group to the journal and hands its pending deliveries to the dispatcher. Does not wait for the write if the
 * journal has a log, which holds the plan before any outcome. `earlier` resolves when all earlier groups are written.
 */
async function writeGroup(
  group: PlannedGroup,
  positions: readonly number[],
  earlier: Promise<void> | undefined,
  deps: PlannerDeps,
): Promise<void> {
  const { events, profileWrites, consents, added, mayBePlanned } = group
  const write = planWrite(events, deps)
  const { written } = write
  const isEarly = deps.store.journal.isLogged === true && consents.length === 0 && mayBePlanned.size === 0
  if (!isEarly && !(await written)) return
  deps.report.planned(events)
  if (consents.length > 0) await earlier // held events are found only in the journal
  for (const { tag, waitsFor } of consents) await deps.heldEvents.release(tag.tagId, waitsFor)
  for (const event of events) dispatchPlanned(event, { mayBePlanned: mayBePlanned.has(event.position), write }, deps)
  if (!(await written)) return
  await Promise.all([...profileWrites.map(({ written }) => written), ...added.map((entry) => appendAdded(entry, deps))])
  if (positions.length > 0)
    await retryUntilDone('settle records', () => deps.stream.settle(positions), deps, deps.giveUp)
}

const appendAdded = (entry: StreamEntry, deps: PlannerDeps) =>
  retryUntilDone('append an added event', async () => void (await deps.stream.append(entry)), deps, deps.giveUp)

/**
 * Retries a record that could not be opened, without blocking other records. After the last try its events are dead
 * in the journal, and a replay sends them once the record can be opened. Nothing is journalled for a deleted tag.
 */
async function quarantine(record: LeasedRecord, deps: PlanningDeps): Promise<void> {
  for (let tries = 1; tries < poisonTries && !deps.giveUp.aborted; tries++) {
    await deps.clock.wait(pauseMs, deps.giveUp)
    await deps.lateTags.read(record)
    const group = emptyGroup()
    if (await planRecord({ ...record, mayBePlanned: true }, group, deps))
      return writeGroup(group, [record.position], undefined, deps)
  }
  if (deps.giveUp.aborted) return // the next start leases the record again
  const { tagId, position, newIndexes, slot } = record
  const tag = deps.snapshots.get(tagId)
  const message = tag ? 'could not decrypt a record; its events are dead: poison' : 'settled a record of a deleted tag'
  deps.log({ level: 'error', message, tagId, position })
  const now = deps.clock.now()
  const events = tag
    ? newIndexes.map((index) => ({
        ...planUnreadable({ position, index, tag, now }),
        ...(slot !== undefined && { slot }),
      }))
    : []
  await writeGroup({ ...emptyGroup(), events }, [position], undefined, deps)
}
