import { repeatEvery } from '#kit/repeatEvery.ts'
import type { Breaker } from './circuitBreaker.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'
import type { Dispatcher } from './dispatcher.ts'

type GaugesDeps = Pick<DeliveryDeps, 'meter' | 'clock' | 'log' | 'environment'> & {
  store: { journal: Pick<DeliveryDeps['store']['journal'], 'nextDue'> }
  dispatcher: Pick<Dispatcher, 'busy' | 'channels'>
}

const states: readonly Breaker['state'][] = ['closed', 'open', 'probing']
const channelsHelp = 'Channels in memory, by the state of their circuit breaker.'
const refreshMs = 10_000

/**
 * Gauges of the dispatcher: calls in flight, deliveries in memory, channels by breaker state and the age of the oldest
 * due delivery.
 */
export async function meterDispatcher(deps: GaugesDeps, signal: AbortSignal): Promise<void> {
  const { meter, dispatcher, environment } = deps
  const gauge = (name: string, help: string, read: () => number, labels = {}) =>
    meter.gauge(name, help, read, { environment, ...labels })
  gauge('aglet_calls_in_flight', 'Calls to vendors in flight.', dispatcher.busy)
  gauge('aglet_deliveries_in_memory', 'Deliveries that are queued in memory.', () => countQueued(dispatcher))
  for (const state of states)
    gauge('aglet_channels', channelsHelp, () => countChannels(dispatcher, state), { breaker: state })
  let oldest: number | undefined
  const age = () => (oldest === undefined ? 0 : Math.max(0, deps.clock.now() - oldest) / 1_000)
  gauge('aglet_queue_age_seconds', 'How long the oldest due delivery has been due.', age)
  const refresh = async () => {
    oldest = await oldestDue(deps)
  }
  await repeatEvery(refreshMs, 'read the oldest due delivery', refresh, deps, signal)
}

function countQueued({ channels }: GaugesDeps['dispatcher']): number {
  let sum = 0
  for (const { queues } of channels()) sum += queues.queued()
  return sum
}

function countChannels({ channels }: GaugesDeps['dispatcher'], state: Breaker['state']): number {
  let sum = 0
  for (const { health } of channels()) if (health.breaker.state === state) sum++
  return sum
}

async function oldestDue({ store, clock }: GaugesDeps): Promise<number | undefined> {
  const now = clock.now()
  const due = (await store.journal.nextDue(-1)).map(({ nextAt }) => nextAt).filter((nextAt) => nextAt <= now)
  return due.length > 0 ? Math.min(...due) : undefined
}
