import type { Clock } from '#kit/clock.ts'
import type { Snapshots } from '#script/snapshot.ts'
import type { DueDelivery, Lane } from '#store/store.ts'
import { begun, idle } from './breaker.ts'
import {
  type Channel,
  canStart,
  isHungry,
  isIdle,
  type Line,
  linesOf,
  openChannel,
  perLane,
  stopOf,
} from './channel.ts'
import { pick, queueOf } from './pick.ts'
import { openTurns } from './turns.ts'

/** All channels together; of a team, and to a host, in calls. */
export const overall = { inFlight: 2_048, queued: 50_000, perTeam: 1_024, perHost: 256 }

/** Deliveries of one channel that go in one call. */
export type Flight = { channel: Channel; deliveries: readonly DueDelivery[]; teamId: string; host: string }

/** What is held in memory of all channels, and whose turn it is. */
export type Round = {
  channel(scriptId: string): Channel
  channels(): Iterable<Channel>
  /** How many more deliveries this lane may hold in memory. */
  room(channel: Channel, lane: Lane): number
  /** Room was made for what the channel has in the store: in which lanes. */
  wants(channel: Channel): Lane[]
  add(channel: Channel, delivery: DueDelivery): void
  /** One call of each team in turn, and of each of its channels, as many as may be in flight. */
  take(): Flight[]
  /** A call has ended: its channel may make the next. */
  land(flight: Flight): void
  /** What became of it is written: it is held no more, and the next of its queue may go. */
  end(flight: Flight): void
  /** Lets a channel go on that was stopped, leaves to the store what a stopped one holds, and forgets one that nothing is known of. */
  look(channel: Channel): void
  inFlight(): number
}

export type RoundWorld = {
  clock: Clock
  snapshots: Pick<Snapshots, 'isPaused' | 'get'>
  /** How many deliveries of this provider go in one call. */
  mostOf(providerId: DueDelivery['providerId']): number
}

/** How many calls are under way, by name. */
function counting() {
  const counts = new Map<string, number>()
  const of = (name: string) => counts.get(name) ?? 0
  return {
    of,
    add(name: string, by: 1 | -1): void {
      const count = of(name) + by
      if (count === 0) counts.delete(name)
      else counts.set(name, count)
    },
  }
}

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

export function openRound({ clock, snapshots, mostOf }: RoundWorld): Round {
  const channels = openChannels()
  const turns = openTurns()
  const teams = counting()
  const hosts = counting()
  let inFlight = 0
  let queued = 0

  const isStopped = (channel: Channel) =>
    snapshots.isPaused(channel.scriptId) || stopOf(channel, clock.now()) !== undefined
  const isFull = ({ teamId, host }: Pick<Flight, 'teamId' | 'host'>) =>
    teams.of(teamId) >= overall.perTeam || (host !== '' && hosts.of(host) >= overall.perHost)
  const mayStart = (channel: Channel) =>
    !snapshots.isPaused(channel.scriptId) && canStart(channel, clock.now()) && !isFull(channel)

  function count({ teamId, host }: Pick<Flight, 'teamId' | 'host'>, by: 1 | -1): void {
    inFlight += by
    teams.add(teamId, by)
    hosts.add(host, by)
  }
  function start(channel: Channel): Flight | undefined {
    const deliveries = pick(channel)
    if (deliveries.length === 0) return undefined
    const flight: Flight = { channel, deliveries, teamId: channel.teamId, host: channel.host }
    channel.inFlight++
    channel.breaker = begun(channel.breaker, clock.now())
    queued -= deliveries.length
    count(flight, 1)
    return flight
  }
  function take(): Flight[] {
    const taken: Flight[] = []
    while (inFlight < overall.inFlight) {
      const next = turns.next()
      if (!next) break
      const flight = mayStart(next) ? start(next) : undefined
      if (flight) taken.push(flight)
      if (flight && mayStart(next)) turns.enter(next)
    }
    return taken
  }
  function know(channel: Channel, { tagId, providerId }: DueDelivery): void {
    channel.tagId = tagId
    channel.teamId = snapshots.get(tagId)?.teamId ?? ''
    channel.most = mostOf(providerId)
  }
  const enter = (channel: Channel) => void (mayStart(channel) && turns.enter(channel))
  const roomIn = ({ queue }: Line) => Math.max(0, Math.min(perLane.queued - queue.length, overall.queued - queued))
  return {
    channel: channels.of,
    channels: channels.all,
    room: (channel, lane) => (isStopped(channel) ? 0 : roomIn(channel.lines[lane])),
    wants: (channel) =>
      isStopped(channel) || queued >= overall.queued
        ? []
        : (Object.keys(channel.lines) as Lane[]).filter((lane) => isHungry(channel.lines[lane])),
    add(channel, delivery) {
      if (channel.held.size === 0) know(channel, delivery)
      channel.lines[delivery.lane].queue.push(delivery)
      channel.held.add(delivery.deliveryId)
      queued++
      enter(channel)
    },
    take,
    land(flight) {
      const { channel } = flight
      const wasFull = isFull(flight)
      channel.inFlight--
      count(flight, -1)
      if (channel.inFlight === 0) channel.breaker = idle(channel.breaker, clock.now())
      if (wasFull) for (const each of channels.all()) enter(each)
      else enter(channel)
    },
    end(flight) {
      letGo(flight)
      enter(flight.channel)
    },
    look(channel) {
      if (isStopped(channel)) queued -= leaveToStore(channel)
      if (isIdle(channel, clock.now())) channels.forget(channel)
      else enter(channel)
    },
    inFlight: () => inFlight,
  }
}

/** What is stopped may be so for long: what waits for it takes no room here. Gives how many went. */
function leaveToStore(channel: Channel): number {
  let count = 0
  for (const line of linesOf(channel)) {
    const left = line.queue.splice(0)
    for (const { deliveryId } of left) channel.held.delete(deliveryId)
    if (left.length > 0) line.hasMore = true
    count += left.length
  }
  return count
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
