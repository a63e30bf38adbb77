import type { Breaker } from './breaker.ts'
import { linesOf } from './channel.ts'
import type { Lanes } from './lanes.ts'
import type { DeliveryWorld } from './world.ts'

type GaugesWorld = Pick<DeliveryWorld, 'meter' | 'clock' | 'log' | 'environment'> & {
  store: { journal: Pick<DeliveryWorld['store']['journal'], 'nextDue'> }
  lanes: Pick<Lanes, 'busy' | 'channels'>
}

const states: readonly Breaker['is'][] = ['closed', 'open', 'probing']
const lookMs = 10_000

/** How the lanes stand, on the metrics page: calls under way, what waits in memory, breakers by their state, the oldest that waits. */
export async function meterLanes(on: GaugesWorld, signal: AbortSignal): Promise<void> {
  const { meter, lanes, environment } = on
  const gauge = (name: string, help: string, read: () => number, labels = {}) =>
    meter.gauge(name, help, read, { environment, ...labels })
  gauge('aglet_calls_in_flight', 'Calls to vendors under way.', lanes.busy)
  gauge('aglet_deliveries_in_memory', 'Deliveries that wait in memory for their turn.', () => queued(lanes))
  for (const state of states)
    gauge('aglet_channels', 'Channels with something to do, by what their breaker says.', () => count(lanes, state), {
      breaker: state,
    })
  let oldest: number | undefined
  const age = () => (oldest === undefined ? 0 : Math.max(0, on.clock.now() - oldest) / 1_000)
  gauge('aglet_queue_age_seconds', 'How long the delivery has been due that has been so for longest.', age)
  while (!signal.aborted) {
    oldest = await oldestDue(on).catch((error) => {
      on.log({ level: 'error', message: 'could not ask what has waited for longest', error })
      return oldest
    })
    await on.clock.wait(lookMs, signal)
  }
}

function queued({ channels }: GaugesWorld['lanes']): number {
  let sum = 0
  for (const channel of channels()) for (const { queue } of linesOf(channel)) sum += queue.length
  return sum
}

function count({ channels }: GaugesWorld['lanes'], state: Breaker['is']): number {
  let sum = 0
  for (const { breaker } of channels()) if (breaker.is === state) sum++
  return sum
}

async function oldestDue({ store, clock }: GaugesWorld): Promise<number | undefined> {
  const now = clock.now()
  const due = (await store.journal.nextDue(-1)).map(({ nextAt }) => nextAt).filter((nextAt) => nextAt <= now)
  return due.length > 0 ? Math.min(...due) : undefined
}
