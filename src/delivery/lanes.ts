import { gather, type Waiting } from '#kit/gather.ts'
import { insist } from '#kit/insist.ts'
import type { DueDelivery, Settled } from '#store/store.ts'
import type { Channel } from './channel.ts'
import { refill } from './refill.ts'
import { openRound } from './round.ts'
import type { DeliveryWorld } from './world.ts'

/** Deliveries on their way, each channel in a lane of its own: one that is slow or dead holds up no other. */
export type Lanes = {
  /** Takes a delivery that is due; while its lane is full it stays in the store and is fetched later. */
  offer(delivery: DueDelivery): void
  /** The store holds deliveries of this script that are due. */
  stored(scriptId: string): void
  /** Fetches from the store what there is room for, and lets go on who was asked to pause. */
  refill(): Promise<void>
  busy(): number
  /** Starts nothing more and resolves when what is in flight has ended. */
  drain(): Promise<void>
}

export type LanesWorld = Pick<DeliveryWorld, 'clock' | 'log'> & {
  snapshots: Pick<DeliveryWorld['snapshots'], 'isPaused'>
  settled: DeliveryWorld['settled']
  store: { journal: Pick<DeliveryWorld['store']['journal'], 'begin' | 'settle' | 'due'> }
  /** Makes one attempt, counted already, and never throws. */
  attempt(delivery: DueDelivery, channel: Channel): Promise<Settled>
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
  const outcomes = writeOutcomes(on)
  let isPumping = false
  let drained: (() => void) | undefined

  async function pump(): Promise<void> {
    if (isPumping) return
    isPumping = true
    await null // what is offered in the same turn begins together
    for (let batch = take(); batch.length > 0; batch = take()) {
      const isCounted = await begin(batch, on)
      for (const delivery of batch) isCounted ? void run(delivery) : end(delivery)
    }
    isPumping = false
  }
  const take = () => (drained ? [] : round.take())

  async function run(delivery: DueDelivery): Promise<void> {
    await outcomes.add(await on.attempt(delivery, round.channel(delivery.scriptId)))
    on.settled.ended(delivery)
    end(delivery)
  }
  function end(delivery: DueDelivery): void {
    const channel = round.end(delivery)
    if (round.wants(channel)) on.hungry()
    if (round.inFlight() === 0) drained?.()
    void pump()
  }

  return {
    offer(delivery) {
      const channel = round.channel(delivery.scriptId)
      if (channel.held.has(delivery.deliveryId)) return
      if (round.room(channel) === 0) channel.hasMore = true
      if (!channel.hasMore) round.add(channel, delivery)
      else if (round.wants(channel)) on.hungry()
      void pump()
    },
    stored(scriptId) {
      const channel = round.channel(scriptId)
      channel.hasMore = true
      if (round.wants(channel)) on.hungry()
    },
    async refill() {
      await refill(round, on)
      void pump()
    },
    busy: round.inFlight,
    async drain() {
      await new Promise<void>((resolve) => {
        drained = resolve
        if (round.inFlight() === 0) resolve()
      })
      await outcomes.close()
    },
  }
}

/** Counts attempts before they are made; false when that was given up. */
function begin(batch: readonly DueDelivery[], on: LanesWorld): Promise<boolean> {
  const untilMs = on.clock.now() + crashMs
  const begun = batch.map(({ deliveryId }) => ({ deliveryId, untilMs }))
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
