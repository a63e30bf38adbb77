import type { Clock } from '#kit/clock.ts'
import type { Snapshots } from '#script/snapshot.ts'
import { begun, idle } from './breaker.ts'
import { type Channel, canStart, isIdle, linesOf, openChannel, stopOf } from './channel.ts'
import { type Memory, type MemoryWorld, openMemory } from './memory.ts'
import { pick, queueOf } from './pick.ts'
import { type Flight, openTraffic, overall } from './traffic.ts'
import { openTurns } from './turns.ts'

/** What is held in memory of all channels, and whose turn it is. */
export type Round = Pick<Memory, 'add' | 'room' | 'wants'> & {
  channel(scriptId: string): Channel
  channels(): Iterable<Channel>
  /** One call of each team in turn, and of each of its channels, as many as may be in flight. */
  take(): Flight[]
  /** A call has ended: its channel may make the next. */
  land(flight: Flight): void
  /** What became of it is written: it is held no more, and the next of its queue may go. */
  end(flight: Flight): void
  /** Lets a channel go on that was stopped, leaves to the store what a stopped one holds, and forgets one that nothing is known of. */
  look(channel: Channel): void
  /** Calls under way. */
  inFlight(): number
}

export type RoundWorld = MemoryWorld & { clock: Clock; snapshots: Pick<Snapshots, 'isPaused'> }

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

export function openRound(on: RoundWorld): Round {
  const { clock, snapshots } = on
  const channels = openChannels()
  const turns = openTurns()
  const traffic = openTraffic()
  const isStopped = (channel: Channel) =>
    snapshots.isPaused(channel.scriptId) || stopOf(channel, clock.now()) !== undefined
  const memory = openMemory(on, isStopped)

  const mayStart = (channel: Channel) =>
    !snapshots.isPaused(channel.scriptId) && canStart(channel, clock.now()) && !traffic.isFull(channel)
  const enter = (channel: Channel) => void (mayStart(channel) && turns.enter(channel))

  function start(channel: Channel): Flight[] {
    const deliveries = pick(channel)
    if (deliveries.length === 0) return []
    const flight: Flight = { channel, deliveries, teamId: channel.teamId, host: channel.host }
    channel.inFlight++
    channel.breaker = begun(channel.breaker, clock.now())
    memory.taken(deliveries.length)
    traffic.add(flight)
    enter(channel)
    return [flight]
  }
  return {
    ...memory,
    channel: channels.of,
    channels: channels.all,
    add(channel, delivery) {
      memory.add(channel, delivery)
      enter(channel)
    },
    take() {
      const taken: Flight[] = []
      while (traffic.inFlight() < overall.inFlight && turns.areThere()) {
        const next = turns.next()!
        if (mayStart(next)) taken.push(...start(next))
      }
      return taken
    },
    land(flight) {
      const { channel } = flight
      const wasFull = traffic.isFull(flight)
      channel.inFlight--
      traffic.remove(flight)
      if (channel.inFlight === 0) channel.breaker = idle(channel.breaker, clock.now())
      for (const each of wasFull ? channels.all() : [channel]) enter(each)
    },
    end(flight) {
      letGo(flight)
      enter(flight.channel)
    },
    look(channel) {
      if (isStopped(channel)) memory.leaveToStore(channel)
      if (isIdle(channel, clock.now())) channels.forget(channel)
      else enter(channel)
    },
    inFlight: traffic.inFlight,
  }
}

function letGo({ channel, deliveries }: Flight): void {
  for (const delivery of deliveries) {
    const { deliveryId } = delivery
    const queue = queueOf(delivery)
    channel.held.delete(deliveryId)
    if (queue !== undefined) channel.serving.delete(queue)
    for (const line of linesOf(channel)) line.endedMeanwhile?.add(deliveryId)
  }
}
