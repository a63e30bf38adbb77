import { purgeEvents } from '#event/eraseEvents.ts'
import type { Activity } from '#kit/activity.ts'
import { keyedMutex } from '#kit/keyedMutex.ts'
import { retryUntilDone } from '#kit/retryUntilDone.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { EventRef, JournalEvent, PlannedEvent, ReleasedEvent } from '#store/store.ts'
import type { AttemptReport } from './attemptReport.ts'
import { type DeciderDeps, logUnplanned, redecide } from './decide.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { OutboundEvents } from './outboundEvents.ts'
import { untilStoreAnswers } from './untilStoreAnswers.ts'

type HoldDeps = DeciderDeps & {
  events: OutboundEvents
  dispatcher: Pick<Dispatcher, 'markStored'>
  report: AttemptReport
  activity: Activity
}

export type HeldEvents = ReturnType<typeof openHeldEvents>

/** The maximum delay of the decision after a hold ends. */
const pollMs = 3_000
const sliceSize = 200

/**
 * The new decision on a held event. `purge`: consent is refused for all its deliveries, so the event is purged from the
 * stream.
 */
type ReleaseDecision = { released: ReleasedEvent; purge?: { tag: Snapshot } }

export function openHeldEvents(deps: HoldDeps) {
  // Without the lock, an event could be decided twice if its consent arrives when its hold ends.
  const withLock = keyedMutex()
  const releaseAll = (held: () => Promise<EventRef[]>, isExpired: boolean) =>
    deps.activity
      .run(() => withLock('held', async () => writeReleases(await held(), isExpired, deps)))
      .catch((error) => deps.log({ level: 'error', message: 'could not decide about held events', error }))
  return {
    /** Decides again on the events that wait for this consent (`ResolvedUser.waitsFor`), which has arrived. */
    release: (tagId: string, waitsFor: string) =>
      releaseAll(() => deps.store.journal.heldEvents(tagId, waitsFor), false),
    /** Decides on the events whose hold time is over, until the signal. */
    async watch(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        await releaseAll(() => deps.store.journal.overdueHolds(deps.clock.now(), sliceSize), true)
        await deps.clock.wait(pollMs, signal)
      }
    },
  }
}

/** Writes the decisions and notifies the dispatcher, which fetches the pending deliveries in order of arrival. */
async function writeReleases(held: readonly EventRef[], isExpired: boolean, deps: HoldDeps): Promise<void> {
  const decisions: ReleaseDecision[] = []
  for (const ref of held) decisions.push(...(await decideHeld(ref, isExpired, deps)))
  if (decisions.length === 0) return
  const released = decisions.map((each) => each.released)
  if (!(await retryUntilDone('release held events', () => deps.store.journal.release(released), deps, deps.giveUp)))
    return
  deps.report.planned(released)
  for (const { deliveries } of released)
    for (const { scriptId, status } of deliveries) if (status === 'pending') deps.dispatcher.markStored(scriptId)
  for (const event of released) deps.completions.notify(event)
  for (const { released: event, purge } of decisions)
    if (purge && (await isStored(event, deps))) await purgeEvent(event, purge.tag, deps)
}

/** True if this decision is the stored one: for a spread tag, another worker may have decided first. */
async function isStored({ tagId, position, index, deliveries }: ReleasedEvent, deps: HoldDeps): Promise<boolean> {
  const event = await deps.store.journal.event(tagId, position, index)
  const statuses = new Map(event?.deliveries.map(({ deliveryId, status }) => [deliveryId, status]))
  return deliveries.every(({ deliveryId, status }) => statuses.get(deliveryId) === status)
}

/** The new decision on a held event; empty if the event is still held. */
async function decideHeld(ref: EventRef, isExpired: boolean, deps: HoldDeps): Promise<ReleaseDecision[]> {
  const event = await deps.store.journal.event(ref.tagId, ref.position, ref.index)
  const tag = deps.snapshots.get(ref.tagId)
  const planned = tag && (await planAgain(ref, tag, deps))
  const deliveries = (event?.deliveries ?? [])
    .filter(({ status }) => status === 'held')
    .map((delivery) => releasedStatus(delivery, planned ?? (tag ? 'expired' : 'erased'), isExpired))
  if (deliveries.some(({ status }) => status === 'held')) return []
  const { consent = { source: 'none' }, place = { source: 'unknown' } } = planned ?? event ?? {}
  const isRefused = deliveries.length > 0 && deliveries.every(({ reason }) => reason === 'consent')
  return [{ released: { ...ref, consent, place, deliveries }, ...(tag && isRefused && { purge: { tag } }) }]
}

/** Undefined if the record cannot be opened or is no longer stored. */
async function planAgain(
  { position, index }: EventRef,
  tag: Snapshot,
  deps: HoldDeps,
): Promise<PlannedEvent | undefined> {
  try {
    const record = await untilStoreAnswers('read a held event', () => deps.events.at(position, tag), deps)
    return record && (await redecide(record, index, tag, deps)).planned
  } catch (error) {
    logUnplanned('a held event', { tagId: tag.tagId, position, index, error }, deps)
    return undefined
  }
}

/** The new status of a held delivery: the status that it would have if its event arrived now. */
function releasedStatus(
  { deliveryId, scriptId }: JournalEvent['deliveries'][number],
  planned: PlannedEvent | 'expired' | 'erased',
  isExpired: boolean,
): ReleasedEvent['deliveries'][number] {
  if (typeof planned === 'string') return { deliveryId, scriptId, status: 'dead', reason: planned }
  const current = planned.deliveries.find((each) => each.scriptId === scriptId)
  if (!current) return { deliveryId, scriptId, status: 'dead', reason: 'erased' }
  if (current.status === 'held' && isExpired) return { deliveryId, scriptId, status: 'skipped', reason: 'consent' }
  return { deliveryId, scriptId, status: current.status, ...(current.reason && { reason: current.reason }) }
}

/** Purges an event from the stream after the consent that it waited for did not arrive. */
async function purgeEvent({ position, index }: EventRef, tag: Snapshot, deps: HoldDeps): Promise<void> {
  const purge = () =>
    deps.stream.rewrite(position, (payload) => purgeEvents(payload, tag, { indexes: [index] }, deps.keys))
  await retryUntilDone('purge a held event', purge, deps, deps.giveUp)
}
