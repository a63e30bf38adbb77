import type { DueDelivery } from '#store/store.ts'
import type { Channel } from './channel.ts'

/** The maximum calls in flight: in total, per team and per host. */
export const concurrencyCaps = { inFlight: 2_048, perTeam: 1_024, perHost: 256 }

/** The deliveries of one channel that are sent in one call. */
export type InFlightBatch = { channel: Channel; deliveries: readonly DueDelivery[]; teamId: string; host: string }

function openCounter() {
  const counts = new Map<string, number>()
  const get = (name: string) => counts.get(name) ?? 0
  return {
    get,
    add(name: string, by: 1 | -1): void {
      const count = get(name) + by
      if (count === 0) counts.delete(name)
      else counts.set(name, count)
    },
  }
}

/** Counts the calls in flight. */
export function openConcurrencyLimits() {
  const teams = openCounter()
  const hosts = openCounter()
  let inFlight = 0

  function count({ teamId, host }: InFlightBatch, by: 1 | -1): void {
    inFlight += by
    teams.add(teamId, by)
    hosts.add(host, by)
  }
  return {
    add: (batch: InFlightBatch) => count(batch, 1),
    remove: (batch: InFlightBatch) => count(batch, -1),
    /** The team or the host is at its maximum. */
    isFull: ({ teamId, host }: Pick<InFlightBatch, 'teamId' | 'host'>) =>
      teams.get(teamId) >= concurrencyCaps.perTeam || (host !== '' && hosts.get(host) >= concurrencyCaps.perHost),
    inFlight: () => inFlight,
  }
}
