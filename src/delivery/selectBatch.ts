import { type DueDelivery, type Priority, priorities } from '#store/store.ts'

/**
 * A delivery that crashed two attempts may be poison and is sent alone. One crash is not enough: when a process ends,
 * every delivery in flight counts as crashed.
 */
const isSentAlone = ({ crashCount = 0 }: DueDelivery) => crashCount > 1

/** Deliveries with the same key are sent one after the other. All possible poison of a channel shares one key. */
export const orderKey = (delivery: DueDelivery): string | undefined =>
  isSentAlone(delivery) ? ' crashed' : delivery.orderKey

/** Every nth batch begins with a lower priority, to prevent starvation. */
const retryEvery = 4
const replayEvery = 16

const orders: Readonly<Record<Priority, readonly Priority[]>> = {
  new: priorities,
  retry: ['retry', 'new', 'replay'],
  replay: ['replay', 'new', 'retry'],
}

/** The order of priorities for the nth batch. */
function orderOf(turn: number): readonly Priority[] {
  if (turn % replayEvery === replayEvery - 1) return orders.replay
  return turn % retryEvery === retryEvery - 1 ? orders.retry : orders.new
}

/** The waiting deliveries of a channel, oldest first, and the order keys of those in flight. */
type Waiting = { queues: Readonly<Record<Priority, DueDelivery[]>>; activeOrderKeys: Set<string> }

/**
 * Removes the deliveries of the channel's nth call from their queues, and adds their order keys. Empty if all wait for
 * a delivery with their order key.
 */
export function selectBatch(waiting: Waiting, turn: number, maxBatchSize: number): DueDelivery[] {
  const batch: DueDelivery[] = []
  for (const priority of orderOf(turn))
    takeFrom(waiting.queues[priority], batch, { maxBatchSize, activeOrderKeys: waiting.activeOrderKeys })
  return batch
}

function takeFrom(
  queue: DueDelivery[],
  batch: DueDelivery[],
  { maxBatchSize, activeOrderKeys }: Pick<Waiting, 'activeOrderKeys'> & { maxBatchSize: number },
): void {
  for (let at = 0; at < queue.length && batch.length < maxBatchSize; ) {
    const next = queue[at]!
    const key = orderKey(next)
    if (key !== undefined && (activeOrderKeys.has(key) || (isSentAlone(next) && batch.length > 0))) {
      at++
      continue
    }
    queue.splice(at, 1)
    batch.push(next)
    if (key !== undefined) activeOrderKeys.add(key)
    if (isSentAlone(next)) return
  }
}
