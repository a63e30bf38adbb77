import type { DueDelivery } from '#store/store.ts'
import type { Channel } from './channel.ts'

/** The maximum calls in flight: in total, per team and per host. */
export const concurrencyCaps = { inFlight: 2_048, perTeam: 1_024, perHost: 256 }

/** Whose call it is, and to which host. The host is empty before the first call of a channel. */
export type CallPlace = { teamId: string; host: string }
/** The deliveries of one channel that are sent in one call. */
export type InFlightBatch = CallPlace & { channel: Channel; deliveries: readonly DueDelivery[] }
/** A team or a host that is at its maximum. */
export type FullLimit = { of: 'team' | 'host'; name: string }

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
  const isFull = (of: FullLimit['of'], name: string): boolean =>
    of === 'team'
      ? teams.get(name) >= concurrencyCaps.perTeam
      : name !== '' && hosts.get(name) >= concurrencyCaps.perHost
  return {
    add: (batch: InFlightBatch) => count(batch, 1),
    remove: (batch: InFlightBatch) => count(batch, -1),
    isFull,
    /** The team or the host, if it is at its maximum. */
    full({ teamId, host }: CallPlace): FullLimit | undefined {
      if (isFull('team', teamId)) return { of: 'team', name: teamId }
      return isFull('host', host) ? { of: 'host', name: host } : undefined
    },
    inFlight: () => inFlight,
  }
}
