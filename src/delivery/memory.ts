import type { Snapshots } from '#script/snapshot.ts'
import { type DueDelivery, type Lane, lanes } from '#store/store.ts'
import { type Channel, isHungry, type Line, linesOf, perLane } from './channel.ts'

/** How many deliveries of all channels wait in memory. */
export const queuedAtMost = 50_000

/** What waits in memory for its turn; all else waits in the store. */
export type Memory = {
  add(channel: Channel, delivery: DueDelivery): void
  /** So many have got their turn. */
  taken(count: number): void
  /** How many more this lane may hold. */
  room(channel: Channel, lane: Lane): number
  /** The lanes in which there is room for what the channel has in the store. */
  wants(channel: Channel): Lane[]
  /** What is stopped may be so for long: what waits for it takes no room here. */
  leaveToStore(channel: Channel): void
}

export type MemoryWorld = {
  snapshots: Pick<Snapshots, 'get'>
  /** How many deliveries of this provider go in one call. */
  mostOf(providerId: DueDelivery['providerId']): number
}

export function openMemory({ snapshots, mostOf }: MemoryWorld, isStopped: (channel: Channel) => boolean): Memory {
  let queued = 0

  function know(channel: Channel, { tagId, providerId }: DueDelivery): void {
    channel.tagId = tagId
    channel.teamId = snapshots.get(tagId)?.teamId ?? ''
    channel.most = mostOf(providerId)
  }
  const roomIn = ({ queue }: Line) => Math.max(0, Math.min(perLane.queued - queue.length, queuedAtMost - queued))
  return {
    add(channel, delivery) {
      if (channel.held.size === 0) know(channel, delivery)
      channel.lines[delivery.lane].queue.push(delivery)
      channel.held.add(delivery.deliveryId)
      queued++
    },
    taken(count) {
      queued -= count
    },
    room: (channel, lane) => (isStopped(channel) ? 0 : roomIn(channel.lines[lane])),
    wants: (channel) =>
      isStopped(channel) || queued >= queuedAtMost ? [] : lanes.filter((lane) => isHungry(channel.lines[lane])),
    leaveToStore(channel) {
      for (const line of linesOf(channel)) queued -= emptied(line, channel)
    },
  }
}

function emptied(line: Line, { held }: Channel): number {
  const left = line.queue.splice(0)
  for (const { deliveryId } of left) held.delete(deliveryId)
  if (left.length > 0) line.hasMore = true
  return left.length
}
