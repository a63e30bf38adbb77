import type { Clock } from '#kit/clock.ts'
import type { Snapshots } from '#script/snapshot.ts'
import { type Channel, openChannel } from './channel.ts'
import { concurrencyCaps, type InFlightBatch, openConcurrencyLimits } from './concurrencyLimits.ts'
import { openQueueBudget, type QueueBudget, type QueueBudgetDeps } from './queueBudget.ts'
import { callKeysOf, openReadyChannels } from './readyChannels.ts'

/** The queues of all channels in memory. Selects the next calls. */
export type Scheduler = Pick<QueueBudget, 'add' | 'capacity' | 'free' | 'prioritiesToRefill' | 'evictQueues'> & {
  channel(scriptId: string): Channel
  channels(): Iterable<Channel>
  /** True if a channel may have a call to start. */
  hasReady(): boolean
  /** Takes the batches of the next calls, in fair turns of teams and channels, up to the limits. */
  startBatches(): InFlightBatch[]
  /** A call has ended: its channel may start the next one. */
  callEnded(batch: InFlightBatch): void
  /**
   * The outcomes of a batch are written: the batch leaves memory, and later deliveries with its order keys may start.
   */
  outcomesWritten(batch: InFlightBatch): void
  /** Checks a channel: evicts the queues of a stopped one, drops an idle one, and queues one that may start. */
  refresh(channel: Channel): void
  /** Drops a channel whose deliveries have left memory. */
  forget(channel: Channel): void
  /** Calls in flight. */
  inFlight(): number
}

export type SchedulerDeps = QueueBudgetDeps & { clock: Clock; snapshots: Pick<Snapshots, 'isPaused'> }

/** The channels in memory. A channel is created on first use. */
function openChannels() {
  const channels = new Map<string, Channel>()
  return {
    of(scriptId: string): Channel {
      const channel = channels.get(scriptId) ?? openChannel(scriptId)
      channels.set(scriptId, channel)
      return channel
    },
    all: () => channels.values(),
    forget: ({ scriptId }: Channel) => void channels.delete(scriptId),
  }
}

/** The next call of a channel. Undefined if all of its deliveries wait for one with their order key. */
function startCall(channel: Channel, now: number): InFlightBatch | undefined {
  const deliveries = channel.startCall(now)
  return deliveries.length > 0 ? { channel, deliveries, ...callKeysOf(channel) } : undefined
}

export function openScheduler(deps: SchedulerDeps): Scheduler {
  const { clock, snapshots } = deps
  const channels = openChannels()
  const limits = openConcurrencyLimits()
  const isStopped = (channel: Channel) =>
    snapshots.isPaused(channel.scriptId) || channel.stopReason(clock.now()) !== undefined
  const budget = openQueueBudget(deps, isStopped)
  const ready = openReadyChannels({
    limits,
    canStart: (channel) => !snapshots.isPaused(channel.scriptId) && channel.canStart(clock.now()),
  })
  const next = () => (limits.inFlight() < concurrencyCaps.inFlight ? ready.next() : undefined)
  return {
    ...budget,
    channel: channels.of,
    channels: channels.all,
    add(channel, delivery) {
      budget.add(channel, delivery)
      ready.enqueue(channel)
    },
    hasReady: () => ready.hasNext(),
    startBatches() {
      const batches: InFlightBatch[] = []
      for (let channel = next(); channel; channel = next()) {
        const batch = startCall(channel, clock.now())
        if (!batch) {
          ready.enqueueWaiting(callKeysOf(channel))
          continue
        }
        budget.removed(batch.deliveries.length)
        limits.add(batch)
        ready.enqueue(channel)
        batches.push(batch)
      }
      return batches
    },
    callEnded(batch) {
      batch.channel.callEnded(clock.now())
      limits.remove(batch)
      ready.enqueueWaiting(batch)
      ready.enqueue(batch.channel)
    },
    outcomesWritten(batch) {
      batch.channel.outcomesStored(batch.deliveries)
      ready.enqueue(batch.channel)
    },
    refresh(channel) {
      if (channel.isIdle(clock.now())) return channels.forget(channel)
      if (channel.queues.inMemory() === 0) return // like most channels: nothing to evict or to start
      if (isStopped(channel)) budget.evictQueues(channel)
      ready.enqueue(channel)
    },
    forget: channels.forget,
    inFlight: limits.inFlight,
  }
}
