import type { Clock } from '#kit/clock.ts'
import type { Snapshots } from '#script/snapshot.ts'
import { type Channel, openChannel } from './channel.ts'
import { openChannelQueue } from './channelQueue.ts'
import { type CallPlace, concurrencyCaps, type InFlightBatch, openConcurrencyLimits } from './concurrencyLimits.ts'
import { openQueueBudget, type QueueBudget, type QueueBudgetDeps } from './queueBudget.ts'
import { openWaitingChannels } from './waitingChannels.ts'

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

export function openScheduler(deps: SchedulerDeps): Scheduler {
  const { clock, snapshots } = deps
  const channels = openChannels()
  const channelQueue = openChannelQueue()
  const limits = openConcurrencyLimits()
  const isStopped = (channel: Channel) =>
    snapshots.isPaused(channel.scriptId) || channel.stopReason(clock.now()) !== undefined
  const budget = openQueueBudget(deps, isStopped)
  const waiting = openWaitingChannels()
  const canStart = (channel: Channel) => !snapshots.isPaused(channel.scriptId) && channel.canStart(clock.now())
  const placeOf = ({ facts: { teamId }, host }: Channel) => ({ teamId, host })

  /** Returns whether the channel is queued: it can start a call, and neither its team nor its host is full. */
  function enqueueIfReady(channel: Channel): boolean {
    if (!canStart(channel)) return false
    const full = limits.full(placeOf(channel))
    if (full) waiting.add(full, channel)
    else channelQueue.enqueue(channel)
    return !full
  }
  /** Queues one of the channels that wait for a call of this team or to this host. To check all of them would take long. */
  function enqueueWaiting({ teamId, host }: CallPlace): void {
    for (const [of, name] of [['team', teamId] as const, ['host', host] as const])
      while (!limits.isFull(of, name)) {
        const channel = waiting.next({ of, name })
        if (!channel || enqueueIfReady(channel)) break
      }
  }
  /** Starts the next call of a channel that was queued; it may no longer be ready. */
  function start(channel: Channel): InFlightBatch | undefined {
    const place = placeOf(channel)
    const isReady = canStart(channel) && !limits.full(place)
    const deliveries = isReady ? channel.startCall(clock.now()) : []
    if (deliveries.length === 0) {
      if (!isReady) enqueueIfReady(channel)
      enqueueWaiting(place)
      return undefined
    }
    const batch: InFlightBatch = { channel, deliveries, ...place }
    budget.removed(deliveries.length)
    limits.add(batch)
    enqueueIfReady(channel)
    return batch
  }
  return {
    ...budget,
    channel: channels.of,
    channels: channels.all,
    add(channel, delivery) {
      budget.add(channel, delivery)
      enqueueIfReady(channel)
    },
    hasReady: () => channelQueue.hasNext(),
    startBatches() {
      const batches: InFlightBatch[] = []
      while (limits.inFlight() < concurrencyCaps.inFlight && channelQueue.hasNext()) {
        const batch = start(channelQueue.next()!)
        if (batch) batches.push(batch)
      }
      return batches
    },
    callEnded(batch) {
      batch.channel.callEnded(clock.now())
      limits.remove(batch)
      enqueueWaiting(batch)
      enqueueIfReady(batch.channel)
    },
    outcomesWritten(batch) {
      batch.channel.outcomesStored(batch.deliveries)
      enqueueIfReady(batch.channel)
    },
    refresh(channel) {
      if (isStopped(channel)) budget.evictQueues(channel)
      if (channel.isIdle(clock.now())) channels.forget(channel)
      else enqueueIfReady(channel)
    },
    forget: channels.forget,
    inFlight: limits.inFlight,
  }
}
