import type { Snapshots } from '#script/snapshot.ts'
import { type DueDelivery, type Priority, priorities } from '#store/store.ts'
import { type Channel, type PriorityQueue, queueLimits, queuesOf, wantsRefill } from './channel.ts'

/** The maximum of queued deliveries of all channels in memory. */
export const maxQueued = 50_000

/** Bounds the deliveries that are queued in memory. All others wait in the store. */
export type QueueBudget = {
  add(channel: Channel, delivery: DueDelivery): void
  /** This many deliveries were taken from their queues. */
  removed(count: number): void
  /** How many more deliveries this queue may take. */
  capacity(channel: Channel, priority: Priority): number
  /** The priorities whose queues have space for deliveries in the store. */
  prioritiesToRefill(channel: Channel): Priority[]
  /** Drops the queued deliveries of a stopped channel from memory; they stay in the store. */
  evictQueues(channel: Channel): void
}

export type QueueBudgetDeps = {
  snapshots: Pick<Snapshots, 'get'>
  /** The maximum of events of this provider in one call. */
  maxEventsPerCall(providerId: DueDelivery['providerId']): number
}

export function openQueueBudget(
  { snapshots, maxEventsPerCall }: QueueBudgetDeps,
  isStopped: (channel: Channel) => boolean,
): QueueBudget {
  let queued = 0

  function describeChannel(channel: Channel, { tagId, providerId }: DueDelivery): void {
    channel.tagId = tagId
    channel.teamId = snapshots.get(tagId)?.teamId ?? ''
    channel.maxBatchSize = maxEventsPerCall(providerId)
  }
  const capacityOf = ({ deliveries }: PriorityQueue) =>
    Math.max(0, Math.min(queueLimits.queued - deliveries.length, maxQueued - queued))
  return {
    add(channel, delivery) {
      if (channel.inMemoryIds.size === 0) describeChannel(channel, delivery)
      channel.queues[delivery.priority].deliveries.push(delivery)
      channel.inMemoryIds.add(delivery.deliveryId)
      queued++
    },
    removed(count) {
      queued -= count
    },
    capacity: (channel, priority) => (isStopped(channel) ? 0 : capacityOf(channel.queues[priority])),
    prioritiesToRefill: (channel) =>
      isStopped(channel) || queued >= maxQueued
        ? []
        : priorities.filter((priority) => wantsRefill(channel.queues[priority])),
    evictQueues(channel) {
      for (const queue of queuesOf(channel)) queued -= evictQueue(queue, channel)
    },
  }
}

function evictQueue(queue: PriorityQueue, { inMemoryIds }: Channel): number {
  const evicted = queue.deliveries.splice(0)
  for (const { deliveryId } of evicted) inMemoryIds.delete(deliveryId)
  if (evicted.length > 0) queue.hasMore = true
  return evicted.length
}
