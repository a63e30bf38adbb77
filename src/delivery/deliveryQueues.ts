import { type DueDelivery, type Priority, priorities } from '#store/store.ts'
import { orderKey, selectBatch } from './selectBatch.ts'

/** The maximum deliveries in memory in one priority queue of a channel. */
export const queueLimits = { queued: 5_000 }

/** A read of the store's due deliveries into a queue. Meanwhile deliveries may end and new ones may be offered. */
export type QueueRead = {
  /** True if the delivery is not in memory and did not end during the read; the row may be older than its end. */
  isNew(delivery: DueDelivery): boolean
  /** `hasMore`: the store may have more due deliveries of this priority. */
  end(hasMore: boolean): void
}

/** The deliveries of one channel in memory, queued by priority or in flight. All others wait in the store. */
export type DeliveryQueues = {
  /** True if the delivery is queued or in flight. If the store returns it again, it is not queued twice. */
  has(deliveryId: string): boolean
  /** True if a queued or in-flight delivery matches. */
  hasMatch(isMatch: (delivery: DueDelivery) => boolean): boolean
  /** Deliveries that are queued or in flight. */
  inMemory(): number
  /** Queued deliveries, of one priority or of all. */
  queued(priority?: Priority): number
  add(delivery: DueDelivery): void
  /** Notes that the store has, or may have, due deliveries of this priority. New deliveries wait behind them. */
  markStored(priority: Priority): void
  /** True if the store may have due deliveries, of one priority or of any. */
  hasStored(priority?: Priority): boolean
  /** True during a read of the store. */
  isReading(priority: Priority): boolean
  /** The store has more deliveries of this priority, and at least half of the queue is free. */
  wantsRefill(priority: Priority): boolean
  /** Takes the deliveries of the next call; empty if all wait for a delivery with their order key. */
  take(maxBatchSize: number): DueDelivery[]
  /** Drops these deliveries from memory, so that later ones with their order keys may start. */
  forget(deliveries: readonly DueDelivery[]): void
  /** Drops the queued deliveries from memory and returns their number. They stay in the store. */
  evict(): number
  read(priority: Priority): QueueRead
}

type PriorityQueue = { deliveries: DueDelivery[]; hasMore: boolean; endedDuringRead: Set<string> | undefined }

const emptyQueue = (): PriorityQueue => ({ deliveries: [], hasMore: false, endedDuringRead: undefined })

export function openDeliveryQueues(): DeliveryQueues {
  const queues: Record<Priority, PriorityQueue> = { new: emptyQueue(), retry: emptyQueue(), replay: emptyQueue() }
  const all = priorities.map((priority) => queues[priority])
  const waiting = {
    queues: { new: queues.new.deliveries, retry: queues.retry.deliveries, replay: queues.replay.deliveries },
    activeOrderKeys: new Set<string>(),
  }
  const inMemory = new Map<string, DueDelivery>()
  /** Batches taken so far. Determines which priority comes first in the next batch. */
  let batchCount = 0

  function evictQueue(queue: PriorityQueue): number {
    const evicted = queue.deliveries.splice(0)
    for (const { deliveryId } of evicted) inMemory.delete(deliveryId)
    if (evicted.length > 0) queue.hasMore = true
    return evicted.length
  }
  return {
    has: (deliveryId) => inMemory.has(deliveryId),
    hasMatch: (isMatch) => inMemory.values().some(isMatch),
    inMemory: () => inMemory.size,
    queued: (priority) =>
      priority ? queues[priority].deliveries.length : all.reduce((sum, { deliveries }) => sum + deliveries.length, 0),
    add(delivery) {
      queues[delivery.priority].deliveries.push(delivery)
      inMemory.set(delivery.deliveryId, delivery)
    },
    markStored(priority) {
      queues[priority].hasMore = true
    },
    hasStored: (priority) => (priority ? queues[priority].hasMore : all.some(({ hasMore }) => hasMore)),
    isReading: (priority) => queues[priority].endedDuringRead !== undefined,
    wantsRefill: (priority) => queues[priority].hasMore && queues[priority].deliveries.length <= queueLimits.queued / 2,
    take: (maxBatchSize) => selectBatch(waiting, batchCount++, maxBatchSize),
    forget(deliveries) {
      for (const delivery of deliveries) {
        const key = orderKey(delivery)
        inMemory.delete(delivery.deliveryId)
        if (key !== undefined) waiting.activeOrderKeys.delete(key)
        for (const { endedDuringRead } of all) endedDuringRead?.add(delivery.deliveryId)
      }
    },
    evict: () => all.reduce((sum, queue) => sum + evictQueue(queue), 0),
    read(priority) {
      const queue = queues[priority]
      const endedIds = new Set<string>()
      queue.endedDuringRead = endedIds
      queue.hasMore = false // set again if a delivery finds the queue full during the read
      return {
        isNew: ({ deliveryId }) => !inMemory.has(deliveryId) && !endedIds.has(deliveryId),
        end(hasMore) {
          if (hasMore) queue.hasMore = true
          queue.endedDuringRead = undefined
        },
      }
    },
  }
}
