import { type DueDelivery, type Lane, lanes } from '#store/store.ts'
import type { Channel } from './channel.ts'

/** Whether it goes by itself: what was spoilt before may be poison. */
const isAlone = ({ spoilt }: DueDelivery) => spoilt !== undefined

/** Deliveries with the same are made one after the other; so are those of a channel that may be poison. */
export const queueOf = ({ spoilt, queue }: DueDelivery): string | undefined =>
  spoilt === undefined ? queue : ' spoilt'

/** Every so many calls a lower lane goes first, so that it is never starved. */
const retryEvery = 4
const replayEvery = 16

const orders: Readonly<Record<Lane, readonly Lane[]>> = {
  fresh: lanes,
  retry: ['retry', 'fresh', 'replay'],
  replay: ['replay', 'fresh', 'retry'],
}

/** The lanes in the order in which this call looks at them. */
function orderOf(turn: number): readonly Lane[] {
  if (turn % replayEvery === replayEvery - 1) return orders.replay
  return turn % retryEvery === retryEvery - 1 ? orders.retry : orders.fresh
}

/** Takes the deliveries of one call out of their lanes: none where all wait for others of their queue. */
export function pick(channel: Channel): DueDelivery[] {
  const taken: DueDelivery[] = []
  for (const lane of orderOf(channel.turn++)) takeFrom(channel.lines[lane].queue, taken, channel)
  return taken
}

function takeFrom(queue: DueDelivery[], taken: DueDelivery[], { most, serving }: Channel): void {
  for (let at = 0; at < queue.length && taken.length < most; ) {
    const next = queue[at]!
    const key = queueOf(next)
    if (key !== undefined && (serving.has(key) || (isAlone(next) && taken.length > 0))) {
      at++
      continue
    }
    queue.splice(at, 1)
    taken.push(next)
    if (key !== undefined) serving.add(key)
    if (isAlone(next)) return
  }
}
