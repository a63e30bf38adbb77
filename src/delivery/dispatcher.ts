import type { SlotOwnership } from '#cluster/cluster.ts'
import { createBatcher, type PendingItem } from '#kit/batcher.ts'
import { retryUntilDone } from '#kit/retryUntilDone.ts'
import { yieldFromDelivery } from '#kit/yieldToEventLoop.ts'
import { type DeliveryOutcome, type DueDelivery, type Priority, priorities } from '#store/store.ts'
import { type BreakerPersistence, type BreakerPersistenceDeps, openBreakerPersistence } from './breakerPersistence.ts'
import type { CallControl, Channel } from './channel.ts'
import type { InFlightBatch } from './concurrencyLimits.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'
import { refillQueues } from './refillQueues.ts'
import { openScheduler, type Scheduler, type SchedulerDeps } from './scheduler.ts'

/** The slot of the tag, or another slot if the tag is spread. */
export type InSlot = Pick<DueDelivery, 'tagId' | 'slot'>

/** Sends due deliveries. Each channel has its own queues, so that a slow or dead channel does not delay another. */
export type Dispatcher = {
  /** Restores the open breakers of tags from the journal. */
  restore(isRestored: (tagId: string) => boolean): Promise<void>
  /**
   * Drops the deliveries in these slots from memory, and resolves when their calls in flight have ended and the outcomes
   * are written. The deliveries stay in the store. A channel that is then empty is dropped too.
   */
  release(isReleased: (place: InSlot) => boolean): Promise<void>
  /** Queues a due delivery. If its queue is full, the delivery stays in the store and is fetched later. */
  offer(delivery: DueDelivery): void
  /** Marks that the store has due deliveries of this script; default: first attempts. */
  markStored(scriptId: string, priority?: Priority): void
  /** Fetches due deliveries from the store into queues with space, and closes the breakers of resumed channels. */
  refill(): Promise<void>
  /** Calls in flight. */
  busy(): number
  channels(): Iterable<Channel>
  /** True if the delivery is queued or in flight here. */
  has(delivery: DueDelivery): boolean
  /** Starts no more calls and resolves when the calls in flight have ended and their outcomes are written. */
  drain(): Promise<void>
}

type DispatcherDeps = Pick<DeliveryDeps, 'clock' | 'log'> &
  SchedulerDeps &
  Pick<BreakerPersistenceDeps, 'onChannelEvent' | 'activity'> & {
    ownership: Pick<SlotOwnership, 'owns' | 'mayStart'>
    completions: DeliveryDeps['completions']
    store: BreakerPersistenceDeps['store'] & {
      journal: Pick<DeliveryDeps['store']['journal'], 'markInFlight' | 'settle' | 'due'>
    }
    /** Makes one attempt for the deliveries of a batch. Never throws. */
    attempt(deliveries: readonly DueDelivery[], channel: CallControl): Promise<DeliveryOutcome[]>
    /** Requests a `refill`: a channel has free queue space and due deliveries in the store. */
    requestRefill(): void
    /** Aborted when the worker stops waiting for writes. */
    giveUp: AbortSignal
  }

/** After a crash, a delivery in flight is due again this long after its attempt began. */
const recoverAfterMs = 60_000
const maxOutcomesPerWrite = 1_000

export function openDispatcher(deps: DispatcherDeps): Dispatcher {
  const scheduler = openScheduler(deps)
  const breakers = openBreakerPersistence(deps)
  const pumping = openPump(scheduler, breakers, deps)
  const requestRefillIfWanted = (channel: Channel) =>
    void (scheduler.prioritiesToRefill(channel).length > 0 && deps.requestRefill())
  /** Lets the first delivery of a batch wait briefly for others. */
  function linger(channel: Channel): void {
    channel.linger(deps.clock.now())
    void deps.clock.wait(channel.facts.batch.waitMs, deps.giveUp).then(() => {
      scheduler.refresh(channel)
      pumping.pump()
    })
  }

  return {
    restore: (isRestored) => breakers.restore(scheduler, isRestored),
    async release(isReleased) {
      const isOfTag = ({ facts: { tagId } }: Channel) => tagId !== '' && isReleased({ tagId })
      const channels = [...scheduler.channels()].filter((each) => isOfTag(each) || each.queues.hasMatch(isReleased))
      for (const channel of channels) scheduler.evictQueues(channel)
      await pumping.ended(channels, isReleased)
      for (const channel of channels) forgetEmpty(channel, scheduler)
    },
    offer(delivery) {
      const channel = scheduler.channel(delivery.scriptId)
      const { queues } = channel
      if (queues.has(delivery.deliveryId)) return
      // A delivery with an order key must not overtake deliveries that are being read from the store.
      const mustWait = delivery.orderKey !== undefined && queues.isReading(delivery.priority)
      if (mustWait || scheduler.capacity(channel, delivery.priority) === 0) queues.markStored(delivery.priority)
      if (queues.hasStored(delivery.priority)) return requestRefillIfWanted(channel)
      scheduler.add(channel, delivery)
      if (channel.facts.batch.maxEvents > 1 && queues.queued() === 1) linger(channel)
      pumping.pump()
    },
    markStored(scriptId, priority = 'new') {
      const channel = scheduler.channel(scriptId)
      channel.queues.markStored(priority)
      requestRefillIfWanted(channel)
    },
    async refill() {
      await breakers
        .closeResumed(scheduler)
        .catch((error) => deps.log({ level: 'error', message: 'could not read the pauses of channels', error }))
      await refillQueues(scheduler, deps)
      pumping.pump()
    },
    busy: scheduler.inFlight,
    channels: scheduler.channels,
    has: ({ scriptId, deliveryId }) => scheduler.channel(scriptId).queues.has(deliveryId),
    drain: pumping.drain,
  }
}

/**
 * Drops a channel without deliveries in memory. The store may have deliveries of other slots of a spread tag, so the next
 * refill looks for them.
 */
function forgetEmpty(channel: Channel, scheduler: Scheduler): void {
  if (channel.queues.inMemory() > 0) return
  scheduler.forget(channel)
  for (const priority of priorities) scheduler.channel(channel.scriptId).queues.markStored(priority)
}

/** Resolves when the outcomes of the next batch are written. */
function openBatchSignal() {
  let next: PromiseWithResolvers<void> | undefined
  return {
    next(): Promise<void> {
      next ??= Promise.withResolvers()
      return next.promise
    },
    notify(): void {
      next?.resolve()
      next = undefined
    },
  }
}

/** Resolves when no call is in flight. `wait` registers the callback for that moment. */
const untilIdle = (scheduler: Scheduler, wait: (resolve: () => void) => void) =>
  new Promise<void>((resolve) => {
    wait(resolve)
    if (scheduler.inFlight() === 0) resolve()
  })

/**
 * Resolves when the channels have no such deliveries in memory: their calls have ended and their outcomes are
 * written.
 */
const whenEnded =
  (finished: ReturnType<typeof openBatchSignal>) =>
  async (channels: readonly Channel[], isMatch: (delivery: DueDelivery) => boolean): Promise<void> => {
    while (channels.some(({ queues }) => queues.hasMatch(isMatch))) await finished.next()
  }

/** Starts batches until none is left, and counts their attempts. */
async function startAll(
  take: () => readonly InFlightBatch[],
  start: (batch: InFlightBatch, isCounted: boolean) => void,
  deps: DispatcherDeps,
): Promise<void> {
  const yieldIfDue = yieldFromDelivery(deps.clock)
  for (let batches = take(); batches.length > 0; batches = take()) {
    const counting = markStarted(batches, deps)
    const isCounted = counting ? await counting : true
    for (const batch of batches) {
      // A first attempt is built synchronously; many of them would block the event loop.
      const yielding = yieldIfDue()
      if (yielding) await yielding
      start(batch, isCounted)
    }
  }
}

/** Starts the calls that may start; tries again whenever a call ends. */
function openPump(scheduler: Scheduler, breakers: BreakerPersistence, deps: DispatcherDeps) {
  const outcomes = writeOutcomes(deps)
  const finished = openBatchSignal()
  let isPumping = false
  let drained: (() => void) | undefined

  function pump(): void {
    if (isPumping || !scheduler.hasReady()) return
    isPumping = true
    // One write counts all deliveries that are offered in one tick.
    queueMicrotask(async () => {
      await startAll(take, start, deps)
      isPumping = false
    })
  }
  const start = (batch: InFlightBatch, isCounted: boolean) =>
    isCounted && deps.ownership.mayStart() ? run(batch) : abandon(batch)
  const take = () => (drained || !deps.ownership.mayStart() ? [] : scheduler.startBatches())

  function run(batch: InFlightBatch): void {
    void deps.attempt(batch.deliveries, batch.channel).then((results) => {
      breakers.persist(batch.channel)
      const isWritten = arePlansWritten(batch)
      if (isWritten === true) store(batch, results)
      else void isWritten.then((areWritten) => (areWritten ? store(batch, results) : abandon(batch)))
    })
  }
  function store(batch: InFlightBatch, results: readonly DeliveryOutcome[]): void {
    void outcomes.add(results).then(() => finish(batch, results))
    release(batch)
  }
  /** Lets the channel start its next call while the outcomes are still being written. */
  function release(batch: InFlightBatch): void {
    scheduler.callEnded(batch)
    if (scheduler.inFlight() === 0) drained?.()
    pump()
  }
  const abandon = (batch: InFlightBatch) => {
    release(batch)
    finish(batch)
  }
  function finish(batch: InFlightBatch, results?: readonly DeliveryOutcome[]): void {
    if (results) afterWrite(batch, results, deps)
    scheduler.outcomesWritten(batch)
    finished.notify()
    if (scheduler.prioritiesToRefill(batch.channel).length > 0) deps.requestRefill()
    pump()
  }

  return {
    pump,
    ended: whenEnded(finished),
    async drain() {
      await untilIdle(scheduler, (resolve) => {
        drained = resolve
      })
      await outcomes.close()
    },
  }
}

/**
 * True if the plans of a batch are written; an outcome is only written after its plan. Until then the call occupies its
 * channel, which bounds the calls that a crash may repeat. False if a plan was given up: the next start plans the event
 * again.
 */
function arePlansWritten({ deliveries }: InFlightBatch): true | Promise<boolean> {
  if (deliveries.every(isPlanWritten)) return true
  return Promise.all(deliveries.map(({ planned }) => planned?.written ?? true)).then((all) => all.every(Boolean))
}

const isPlanWritten = ({ planned }: DueDelivery) => !planned || planned.isWritten === true

/**
 * Notifies waiters of the written outcomes, and marks retries that are already due: the poller may have polled past their
 * time before they were written.
 */
function afterWrite(
  { channel, deliveries }: InFlightBatch,
  results: readonly DeliveryOutcome[],
  { clock, completions }: Pick<DispatcherDeps, 'clock' | 'completions'>,
): void {
  const now = clock.now()
  const isDue = results.some(({ nextAt }) => nextAt !== undefined && nextAt <= now)
  if (isDue) for (const { priority } of deliveries) channel.queues.markStored(priority === 'new' ? 'retry' : priority)
  for (const delivery of deliveries) completions.notify(delivery)
}

/**
 * Counts attempts in the journal before they are made, except first attempts. Resolves to false if the write was given up.
 * First attempts are counted with their outcomes; after a crash they are due again.
 */
function markStarted(batches: readonly InFlightBatch[], deps: DispatcherDeps): Promise<boolean> | undefined {
  const untilMs = deps.clock.now() + recoverAfterMs
  const started: { deliveryId: string; untilMs: number }[] = []
  for (const { deliveries } of batches)
    for (const { planned, deliveryId } of deliveries) if (!planned) started.push({ deliveryId, untilMs })
  if (started.length === 0) return undefined
  return retryUntilDone('count attempts', () => deps.store.journal.markInFlight(started), deps, deps.giveUp)
}

/** Group commit: outcomes that arrive during a write are written together by the next one. */
const writeOutcomes = (deps: DispatcherDeps) =>
  createBatcher<readonly DeliveryOutcome[], void>(
    async (group: readonly PendingItem<readonly DeliveryOutcome[], void>[]) => {
      const outcomes = group.flatMap(({ unit }) => unit)
      await retryUntilDone('write outcomes', () => deps.store.journal.settle(outcomes), deps, deps.giveUp)
      for (const { resolve } of group) resolve()
    },
    { limit: maxOutcomesPerWrite, weigh: ({ length }) => length },
  )
