import type { Channel } from './channel.ts'
import { type ChannelQueue, openChannelQueue } from './channelQueue.ts'
import type { CallPlace, FullLimit, openConcurrencyLimits } from './concurrencyLimits.ts'

export const placeOf = ({ facts: { teamId }, host }: Channel): CallPlace => ({ teamId, host })

type ReadyChannelsDeps = {
  limits: Pick<ReturnType<typeof openConcurrencyLimits>, 'full' | 'isFull'>
  /** Whether a channel may start a call, apart from the limits. */
  canStart(channel: Channel): boolean
}

/** The channels that may start a call, and those that wait until their team or their host is no longer full; in fair turns. */
export function openReadyChannels({ limits, canStart }: ReadyChannelsDeps) {
  const ready = openChannelQueue()
  const waiting: Record<FullLimit['of'], Map<string, ChannelQueue>> = { team: new Map(), host: new Map() }

  function wait({ of, name }: FullLimit, channel: Channel): void {
    const queue = waiting[of].get(name) ?? openChannelQueue()
    waiting[of].set(name, queue)
    queue.enqueue(channel)
  }
  function nextWaiting({ of, name }: FullLimit): Channel | undefined {
    const queue = waiting[of].get(name)
    const channel = queue?.next()
    if (queue && !queue.hasNext()) waiting[of].delete(name)
    return channel
  }
  /** Queues a channel that can start a call. Returns false if it cannot, or waits. */
  function enqueue(channel: Channel): boolean {
    if (!canStart(channel)) return false
    const full = limits.full(placeOf(channel))
    if (full) wait(full, channel)
    else ready.enqueue(channel)
    return !full
  }
  /** Queues one of the channels that wait for a call of this team or to this host. To check all of them would take long. */
  function enqueueWaiting({ teamId, host }: CallPlace): void {
    for (const [of, name] of [['team', teamId] as const, ['host', host] as const])
      while (!limits.isFull(of, name)) {
        const channel = nextWaiting({ of, name })
        if (!channel || enqueue(channel)) break
      }
  }
  return {
    enqueue,
    enqueueWaiting,
    hasNext: ready.hasNext,
    /** The next channel that may start a call. One that no longer may leaves its turn to another. */
    next(): Channel | undefined {
      for (let channel = ready.next(); channel; channel = ready.next()) {
        const isStartable = canStart(channel)
        if (isStartable && !limits.full(placeOf(channel))) return channel
        if (isStartable) enqueue(channel)
        enqueueWaiting(placeOf(channel))
      }
      return undefined
    },
  }
}
