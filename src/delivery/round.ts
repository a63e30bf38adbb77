import type { Clock } from '#kit/clock.ts'
import type { Snapshots } from '#script/snapshot.ts'
import type { DueDelivery } from '#store/store.ts'
import { type Channel, canStart, isHungry, isIdle, openChannel, perChannel } from './channel.ts'

/** All channels together. */
export const overall = { inFlight: 512, queued: 50_000 }

/** What is held in memory of all channels, and whose turn it is: each channel that can start has one place in the round. */
export type Round = {
  channel(scriptId: string): Channel
  channels(): Iterable<Channel>
  /** How many more deliveries this channel may hold in memory. */
  room(channel: Channel): number
  /** Room was made for what the channel has in the store. */
  wants(channel: Channel): boolean
  add(channel: Channel, delivery: DueDelivery): void
  /** One delivery of each channel in turn, as many as may be in flight. */
  take(): DueDelivery[]
  /** What was taken has ended: its channel, which may go on. */
  end(delivery: DueDelivery): Channel
  /** Lets a channel go on that was paused, leaves to the store what a paused one holds, and forgets one that nothing is known of. */
  look(channel: Channel): void
  inFlight(): number
}

export type RoundWorld = { clock: Clock; snapshots: Pick<Snapshots, 'isPaused'> }

/** The channels that something is known of, each made when it is first asked for. */
function openChannels() {
  const channels = new Map<string, Channel>()
  return {
    of(scriptId: string): Channel {
      const known = channels.get(scriptId) ?? openChannel(scriptId)
      channels.set(scriptId, known)
      return known
    },
    all: () => channels.values(),
    forget: ({ scriptId }: Channel) => void channels.delete(scriptId),
  }
}

export function openRound({ clock, snapshots }: RoundWorld): Round {
  const channels = openChannels()
  const turns: Channel[] = []
  let inFlight = 0
  let queued = 0

  const isPaused = ({ scriptId }: Channel) => snapshots.isPaused(scriptId)
  const mayStart = (channel: Channel) => !isPaused(channel) && canStart(channel, clock.now())

  function enter(channel: Channel): void {
    if (channel.isInRound || !mayStart(channel)) return
    channel.isInRound = true
    turns.push(channel)
  }
  function start(channel: Channel): DueDelivery {
    channel.inFlight++
    inFlight++
    queued--
    return channel.queue.shift()!
  }
  function take(): DueDelivery[] {
    const taken: DueDelivery[] = []
    while (inFlight < overall.inFlight && turns.length > 0) {
      const next = turns.shift()!
      next.isInRound = false
      if (mayStart(next)) taken.push(start(next))
      enter(next)
    }
    return taken
  }
  function end({ scriptId, deliveryId }: DueDelivery): Channel {
    const ended = channels.of(scriptId)
    inFlight--
    letGo(ended, deliveryId)
    enter(ended)
    return ended
  }
  return {
    channel: channels.of,
    channels: channels.all,
    room: (channel) =>
      isPaused(channel) ? 0 : Math.max(0, Math.min(perChannel.queued - channel.queue.length, overall.queued - queued)),
    wants: (channel) => !isPaused(channel) && queued < overall.queued && isHungry(channel, clock.now()),
    add(channel, delivery) {
      channel.queue.push(delivery)
      channel.held.add(delivery.deliveryId)
      queued++
      enter(channel)
    },
    take,
    end,
    look(channel) {
      if (isPaused(channel)) queued -= leaveToStore(channel)
      if (isIdle(channel, clock.now())) channels.forget(channel)
      else enter(channel)
    },
    inFlight: () => inFlight,
  }
}

/** A script may be paused for long: what waits for it takes no room here. Gives how many went. */
function leaveToStore(channel: Channel): number {
  const left = channel.queue.splice(0)
  for (const { deliveryId } of left) channel.held.delete(deliveryId)
  if (left.length > 0) channel.hasMore = true
  return left.length
}

function letGo(channel: Channel, deliveryId: string): void {
  channel.inFlight--
  channel.held.delete(deliveryId)
  channel.endedMeanwhile?.add(deliveryId)
}
