import { withoutEvents } from '#event/erase.ts'
import { insist } from '#kit/insist.ts'
import { turns } from '#kit/turns.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { EventRef, JournalEvent, PlannedEvent, Released } from '#store/store.ts'
import { type DeciderWorld, decideAgain } from './decide.ts'
import type { Events } from './events.ts'
import type { Lanes } from './lanes.ts'
import type { Report } from './report.ts'

export type HoldWorld = DeciderWorld & { events: Events; lanes: Pick<Lanes, 'stored'>; report: Report }

/** The events that wait for a consent. */
export type Holds = {
  /** Decides again about the events that wait for this consent (`Whose.waitsFor`): it has come. */
  release(tagId: string, waitsFor: string): Promise<void>
  /** Decides about the events that have waited long enough, until the signal. */
  watch(signal: AbortSignal): Promise<void>
}

const lookMs = 1_000
const atOnce = 200

/** An event that was decided again; its body is to be purged where nothing of it may be sent. */
type Again = { released: Released; purge?: { tag: Snapshot } }

export function openHolds(on: HoldWorld): Holds {
  // An event whose time is over while its consent comes must not be decided twice.
  const inTurn = turns()
  const letGoOf = (held: () => Promise<EventRef[]>, isOver: boolean) =>
    inTurn('held', async () => letGo(await held(), isOver, on)).catch((error) =>
      on.log({ level: 'error', message: 'could not decide about what was held', error }),
    )
  return {
    release: (tagId, waitsFor) => letGoOf(() => on.store.journal.held(tagId, waitsFor), false),
    async watch(signal) {
      while (!signal.aborted) {
        await letGoOf(() => on.store.journal.heldUntil(on.clock.now(), atOnce), true)
        await on.clock.wait(lookMs, signal)
      }
    },
  }
}

/** Writes the decisions, and tells the lanes of what is pending now. They fetch it in the order in which it came. */
async function letGo(held: readonly EventRef[], isOver: boolean, on: HoldWorld): Promise<void> {
  const again: Again[] = []
  for (const ref of held) again.push(...(await decided(ref, isOver, on)))
  if (again.length === 0) return
  const released = again.map((each) => each.released)
  if (!(await insist('let go of what was held', () => on.store.journal.release(released), on, on.giveUp))) return
  on.report.planned(released)
  for (const { deliveries } of released)
    for (const { scriptId, status } of deliveries) if (status === 'pending') on.lanes.stored(scriptId)
  for (const event of released) on.settled.ended(event)
  for (const { released: event, purge } of again) if (purge) await purgeEvent(event, purge.tag, on)
}

/** How an event stands that is decided about again; nothing where it goes on waiting. */
async function decided(ref: EventRef, isOver: boolean, on: HoldWorld): Promise<Again[]> {
  const event = await on.store.journal.event(ref.tagId, ref.position, ref.index)
  const tag = on.snapshots.get(ref.tagId)
  const planned = tag && (await planAgain(ref, tag, on))
  const deliveries = (event?.deliveries ?? [])
    .filter(({ status }) => status === 'held')
    .map((delivery) => become(delivery, planned ?? (tag ? 'expired' : 'erased'), isOver))
  if (deliveries.some(({ status }) => status === 'held')) return []
  const { consent = { source: 'none' }, place = { source: 'unknown' } } = planned ?? event ?? {}
  const isRefused = deliveries.length > 0 && deliveries.every(({ reason }) => reason === 'consent')
  return [{ released: { ...ref, consent, place, deliveries }, ...(tag && isRefused && { purge: { tag } }) }]
}

/** Undefined when the body is kept no longer, or does not open. */
async function planAgain(
  { position, index }: EventRef,
  tag: Snapshot,
  on: HoldWorld,
): Promise<PlannedEvent | undefined> {
  try {
    const body = await on.events.at(position, tag)
    return body && (await decideAgain(body, index, tag, on))
  } catch (error) {
    on.log({ level: 'error', message: 'a held event cannot be planned', tagId: tag.tagId, position, index, error })
    return undefined
  }
}

/** What becomes of a held delivery: what would become of it if its event came now. */
function become(
  { deliveryId, scriptId }: JournalEvent['deliveries'][number],
  planned: PlannedEvent | 'expired' | 'erased',
  isOver: boolean,
): Released['deliveries'][number] {
  if (typeof planned === 'string') return { deliveryId, scriptId, status: 'dead', reason: planned }
  const now = planned.deliveries.find((each) => each.scriptId === scriptId)
  if (!now) return { deliveryId, scriptId, status: 'dead', reason: 'erased' }
  if (now.status === 'held' && isOver) return { deliveryId, scriptId, status: 'skipped', reason: 'consent' }
  return { deliveryId, scriptId, status: now.status, ...(now.reason && { reason: now.reason }) }
}

/** An event that was kept for a consent which did not come is kept no longer. */
async function purgeEvent({ position, index }: EventRef, tag: Snapshot, on: HoldWorld): Promise<void> {
  const purge = () =>
    on.stream.rewrite(position, (payload) => withoutEvents(payload, tag, { indexes: [index] }, on.keys))
  await insist('purge what was held', purge, on, on.giveUp)
}
