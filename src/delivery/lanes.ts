import { gather, type Waiting } from '#kit/gather.ts'
import { insist } from '#kit/insist.ts'
import type { DueDelivery, Lane, Settled } from '#store/store.ts'
import { type Channel, lingerMs, queuedIn } from './channel.ts'
import { type Gates, type GateWorld, openGates } from './gate.ts'
import { refill } from './refill.ts'
import { openRound, type Round, type RoundWorld } from './round.ts'
import type { Flight } from './traffic.ts'
import type { DeliveryWorld } from './world.ts'

/** Deliveries on their way, each channel in lanes of its own: one that is slow or dead holds up no other. */
export type Lanes = {
  /** Stops the channels that were stopped when the last worker ended. */
  restore(): Promise<void>
  /** Takes a delivery that is due; while its lane is full it stays in the store and is fetched later. */
  offer(delivery: DueDelivery): void
  /** The store holds deliveries of this script that are due: first attempts, unless another lane is named. */
  stored(scriptId: string, lane?: Lane): void
  /** Fetches from the store what there is room for, and lets go on who was asked to pause. */
  refill(): Promise<void>
  /** Calls in flight. */
  busy(): number
  channels(): Iterable<Channel>
  /** Whether it waits or is in flight here. */
  holds(delivery: DueDelivery): boolean
  /** Starts nothing more and resolves when what is in flight has ended. */
  drain(): Promise<void>
}

export type LanesWorld = Pick<DeliveryWorld, 'clock' | 'log'> &
  RoundWorld &
  Pick<GateWorld, 'told'> & {
    settled: DeliveryWorld['settled']
    store: GateWorld['store'] & { journal: Pick<DeliveryWorld['store']['journal'], 'begin' | 'settle' | 'due'> }
    /** Makes one attempt, counted already, of deliveries that go together, and never throws. */
    attempt(deliveries: readonly DueDelivery[], channel: Channel): Promise<Settled[]>
    /** A channel has room for what it has in the store: `refill` is wanted. */
    hungry(): void
    /** Aborted when nothing can be waited for any longer. */
    giveUp: AbortSignal
  }

/** After a crash what was begun is due again this long after it began. */
const crashMs = 60_000
const settledAtOnce = 1_000

export function openLanes(on: LanesWorld): Lanes {
  const round = openRound(on)
  const gates = openGates(on)
  const pumping = openPump(round, gates, on)
  const wants = (channel: Channel) => void (round.wants(channel).length > 0 && on.hungry())
  /** What came alone waits a little for company. */
  function linger(channel: Channel): void {
    channel.ripeAt = on.clock.now() + lingerMs
    void on.clock.wait(lingerMs, on.giveUp).then(() => {
      round.look(channel)
      pumping.pump()
    })
  }

  return {
    restore: () => gates.restore(round),
    offer(delivery) {
      const channel = round.channel(delivery.scriptId)
      if (channel.held.has(delivery.deliveryId)) return
      const line = channel.lines[delivery.lane]
      if (round.room(channel, delivery.lane) === 0) line.hasMore = true
      if (line.hasMore) return wants(channel)
      round.add(channel, delivery)
      if (channel.most > 1 && queuedIn(channel) === 1) linger(channel)
      pumping.pump()
    },
    stored(scriptId, lane = 'fresh') {
      const channel = round.channel(scriptId)
      channel.lines[lane].hasMore = true
      wants(channel)
    },
    async refill() {
      await gates.look(round).catch((error) => on.log({ level: 'error', message: 'could not read the pauses', error }))
      await refill(round, on)
      pumping.pump()
    },
    busy: round.inFlight,
    channels: round.channels,
    holds: ({ scriptId, deliveryId }) => round.channel(scriptId).held.has(deliveryId),
    drain: pumping.drain,
  }
}

/** Starts what may start, again whenever something has ended. */
function openPump(round: Round, gates: Gates, on: LanesWorld) {
  const outcomes = writeOutcomes(on)
  let isPumping = false
  let drained: (() => void) | undefined

  async function pump(): Promise<void> {
    if (isPumping) return
    isPumping = true
    await null // what is offered in the same turn begins together
    for (let flights = take(); flights.length > 0; flights = take()) {
      const isCounted = await begin(flights, on)
      for (const flight of flights) isCounted ? void run(flight) : leave(flight)
    }
    isPumping = false
  }
  const take = () => (drained ? [] : round.take())

  async function run(flight: Flight): Promise<void> {
    const { channel, deliveries } = flight
    const settled = await on.attempt(deliveries, channel)
    gates.note(channel)
    const written = Promise.all(settled.map(outcomes.add))
    land(flight)
    await written
    comeBack(flight, settled, on.clock.now())
    for (const delivery of deliveries) on.settled.ended(delivery)
    end(flight)
  }
  /** The vendor is free for the next call; its outcome is still being written. */
  function land(flight: Flight): void {
    round.land(flight)
    if (round.inFlight() === 0) drained?.()
    void pump()
  }
  function leave(flight: Flight): void {
    land(flight)
    end(flight)
  }
  function end(flight: Flight): void {
    round.end(flight)
    if (round.wants(flight.channel).length > 0) on.hungry()
    void pump()
  }

  return {
    pump: () => void pump(),
    async drain() {
      await new Promise<void>((resolve) => {
        drained = resolve
        if (round.inFlight() === 0) resolve()
      })
      await outcomes.close()
    },
  }
}

/** Due again already: whoever asks what becomes due may have asked past that moment before it was written. */
function comeBack({ channel, deliveries }: Flight, settled: readonly Settled[], now: number): void {
  if (!settled.some(({ nextAt }) => nextAt !== undefined && nextAt <= now)) return
  for (const { lane } of deliveries) channel.lines[lane === 'fresh' ? 'retry' : lane].hasMore = true
}

/** Counts attempts before they are made; false when that was given up. */
function begin(flights: readonly Flight[], on: LanesWorld): Promise<boolean> {
  const untilMs = on.clock.now() + crashMs
  const begun = flights.flatMap(({ deliveries }) => deliveries.map(({ deliveryId }) => ({ deliveryId, untilMs })))
  return insist('count attempts', () => on.store.journal.begin(begun), on, on.giveUp)
}

/** What ends while outcomes are being written is written together next. */
const writeOutcomes = (on: LanesWorld) =>
  gather<Settled, void>(
    async (group: readonly Waiting<Settled, void>[]) => {
      const settled = group.map(({ unit }) => unit)
      await insist('write outcomes', () => on.store.journal.settle(settled), on, on.giveUp)
      for (const { resolve } of group) resolve()
    },
    { limit: settledAtOnce, weigh: () => 1 },
  )
