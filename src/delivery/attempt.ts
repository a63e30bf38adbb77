import type { AttemptRow, DueDelivery, Settled } from '#store/store.ts'
import { type CallWorld, callAll } from './call.ts'
import { makeCalls } from './calls.ts'
import type { Channel } from './channel.ts'
import type { Ended } from './ended.ts'
import { failed, simulated } from './endings.ts'
import { makeReady, type Ready, type ReadyWorld } from './ready.ts'
import type { DeliveryWorld } from './world.ts'

export type AttemptWorld = Pick<DeliveryWorld, 'environment'> & ReadyWorld & CallWorld

/**
 * Makes one attempt of deliveries of one channel, which is counted already, by the script as it is deployed now: a changed key
 * helps what waits. Says in their order how they stand. Never throws.
 */
export async function attempt(
  deliveries: readonly DueDelivery[],
  channel: Channel,
  on: AttemptWorld,
): Promise<Settled[]> {
  const at = on.clock.now()
  const made = await Promise.all(
    deliveries.map((delivery) => makeReady(delivery, on).catch((error) => failed(error, delivery, on))),
  )
  const ready = made.filter((each) => 'provider' in each)
  const ended = await deliver(ready, channel, on).catch((error) =>
    ready.map((each) => failed(error, each.delivery, on)),
  )
  const of = new Map(ready.map((each, place) => [each, ended[place]!]))
  return deliveries.map((delivery, place) => {
    const each = made[place]!
    return 'provider' in each ? settledOf(delivery, of.get(each)!, at, each.joined) : settledOf(delivery, each, at)
  })
}

function settledOf(delivery: DueDelivery, { sent, ...ended }: Ended, at: number, joined?: string): Settled {
  const { deliveryId } = delivery
  const row = sent && { deliveryId, number: delivery.attempts + 1, at, ...sent, ...(joined && { joined }) }
  return { deliveryId, ...ended, ...(row && { attempt: row satisfies AttemptRow }) }
}

/** In the sandbox a vendor is told in its own test mode, or not at all; a door of the customer's is really called. */
async function deliver(ready: readonly Ready[], channel: Channel, on: AttemptWorld): Promise<Ended[]> {
  const first = ready[0]
  if (!first) return []
  if (on.environment === 'production' || first.provider.host === 'customer')
    return callAll(makeCalls(ready, {}, on), { ready, channel }, on)
  const ended: Ended[] = []
  for (const each of ready) ended.push(await test(each, channel, on))
  return ended
}

async function test(ready: Ready, channel: Channel, on: AttemptWorld): Promise<Ended> {
  const { calls, ended } = makeCalls([ready], {}, on)
  const over = ended.get(0)
  if (over) return over
  const tests = ready.provider.test && makeCalls([ready], { test: true }, on)
  if (!tests || tests.calls.length === 0)
    return simulated(
      calls.map(({ request }) => request),
      ready,
      on.keep,
    )
  const [done] = await callAll(tests, { ready: [ready], channel, test: true }, on)
  return done!
}
