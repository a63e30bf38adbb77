import type { Channel } from './channel.ts'
import { type ChannelQueue, openChannelQueue } from './channelQueue.ts'
import type { CallKeys, CallLimit, openConcurrencyLimits } from './concurrencyLimits.ts'

export const callKeysOf = ({ facts: { teamId }, host }: Channel): CallKeys => ({ teamId, host })

type ReadyChannelsDeps = {
  limits: Pick<ReturnType<typeof openConcurrencyLimits>, 'full' | 'isFull'>
  /** Whether a channel may start a call, apart from the limits. */
  canStart(channel: Channel): boolean
}

/** The channels that may start a call, and those that wait until their team or their host is no longer full; in fair turns. */
export function openReadyChannels({ limits, canStart }: ReadyChannelsDeps) {
  const ready = openChannelQueue()
  const waiting: Record<CallLimit['of'], Map<string, ChannelQueue>> = { team: new Map(), host: new Map() }

  function wait({ of, name }: CallLimit, channel: Channel): void {
    const queue = waiting[of].get(name) ?? openChannelQueue()
    waiting[of].set(name, queue)
    queue.enqueue(channel)
  }
  function nextWaiting({ of, name }: CallLimit): Channel | undefined {
    const queue = waiting[of].get(name)
    const channel = queue?.next()
    if (queue && !queue.hasNext()) waiting[of].delete(name)
    return channel
  }
  /** Queues the channel if it can start a call. Returns false if it cannot, or if it now waits for its full team or host. */
  function enqueue(channel: Channel): boolean {
    if (!canStart(channel)) return false
    const full = limits.full(callKeysOf(channel))
    if (full) wait(full, channel)
    else ready.enqueue(channel)
    return !full
  }
  /** Queues the first of the channels that wait and can start a call. To check all of them would take long. */
  function enqueueFirst(limit: CallLimit): void {
    while (!limits.isFull(limit)) {
      const channel = nextWaiting(limit)
      if (!channel || enqueue(channel)) return
    }
  }
  /** Queues one channel that waits because of the limit of this team, and one because of the limit of this host. */
  function enqueueWaiting({ teamId, host }: CallKeys): void {
    enqueueFirst({ of: 'team', name: teamId })
    enqueueFirst({ of: 'host', name: host })
  }
  return {
    enqueue,
    enqueueWaiting,
    hasNext: ready.hasNext,
    /** The next channel that may start a call. One that no longer may leaves its turn to another. */
    next(): Channel | undefined {
      for (let channel = ready.next(); channel; channel = ready.next()) {
        const full = limits.full(callKeysOf(channel))
        if (canStart(channel)) {
          if (!full) return channel
          wait(full, channel)
        }
        enqueueWaiting(callKeysOf(channel))
      }
      return undefined
    },
  }
}
