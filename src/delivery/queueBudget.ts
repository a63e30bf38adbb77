import type { BatchLimits } from '#provider/form/batch.ts'
import type { Snapshots } from '#script/snapshot.ts'
import { type DueDelivery, type Priority, priorities } from '#store/store.ts'
import type { Channel } from './channel.ts'
import { queueLimits } from './deliveryQueues.ts'

/** The maximum of queued deliveries of all channels in memory. */
export const maxQueued = 50_000

/** Bounds the deliveries that are queued in memory. All others wait in the store. */
export type QueueBudget = {
  add(channel: Channel, delivery: DueDelivery): void
  /** Subtracts deliveries that were taken from their queues. */
  removed(count: number): void
  /** The number of deliveries that still fit into this queue. */
  capacity(channel: Channel, priority: Priority): number
  /** The number of deliveries that still fit into all queues together. */
  free(): number
  /** The priorities whose queues have space for deliveries in the store. */
  prioritiesToRefill(channel: Channel): readonly Priority[]
  /** Drops the queued deliveries of a stopped channel from memory; they stay in the store. */
  evictQueues(channel: Channel): void
}

export type QueueBudgetDeps = {
  snapshots: Pick<Snapshots, 'get'>
  /** The call limits of the delivery's script. Returns the same object until they change. */
  batchLimits(delivery: DueDelivery): BatchLimits
}

const none: readonly Priority[] = []

export function openQueueBudget(
  { snapshots, batchLimits }: QueueBudgetDeps,
  isStopped: (channel: Channel) => boolean,
): QueueBudget {
  let queued = 0

  const factsOf = ({ tagId }: DueDelivery, batch: BatchLimits) => ({
    tagId,
    teamId: snapshots.get(tagId)?.teamId ?? '',
    batch,
  })
  const capacityOf = ({ queues }: Channel, priority: Priority) =>
    Math.max(0, Math.min(queueLimits.queued - queues.queued(priority), maxQueued - queued))
  return {
    add(channel, delivery) {
      const batch = batchLimits(delivery)
      if (channel.queues.inMemory() === 0 || channel.facts.batch !== batch) channel.describe(factsOf(delivery, batch))
      channel.queues.add(delivery)
      queued++
    },
    removed(count) {
      queued -= count
    },
    capacity: (channel, priority) => (isStopped(channel) ? 0 : capacityOf(channel, priority)),
    free: () => maxQueued - queued,
    // A refill asks every channel, and most have no deliveries in the store.
    prioritiesToRefill: (channel) =>
      channel.queues.hasStored() && !isStopped(channel) && queued < maxQueued
        ? priorities.filter(channel.queues.wantsRefill)
        : none,
    evictQueues(channel) {
      queued -= channel.queues.evict()
    },
  }
}
