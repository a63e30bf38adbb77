import type { Channel } from './channel.ts'
import { type ChannelQueue, openChannelQueue } from './channelQueue.ts'
import type { FullLimit } from './concurrencyLimits.ts'

/** The channels that wait for a call of a full team, or to a full host, to end; in fair turns. */
export function openWaitingChannels() {
  const queues: Record<FullLimit['of'], Map<string, ChannelQueue>> = { team: new Map(), host: new Map() }
  return {
    add({ of, name }: FullLimit, channel: Channel): void {
      const queue = queues[of].get(name) ?? openChannelQueue()
      queues[of].set(name, queue)
      queue.enqueue(channel)
    },
    /** Removes the channel whose turn it is. */
    next({ of, name }: FullLimit): Channel | undefined {
      const queue = queues[of].get(name)
      const channel = queue?.next()
      if (queue && !queue.hasNext()) queues[of].delete(name)
      return channel
    },
  }
}
