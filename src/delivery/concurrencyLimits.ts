import type { DueDelivery } from '#store/store.ts'
import type { Channel } from './channel.ts'

/** The maximum calls in flight: in total, per team and per host. */
export const concurrencyCaps = { inFlight: 2_048, perTeam: 1_024, perHost: 256 }

/** The keys by which calls in flight are limited. The host is empty before the first call of a channel. */
export type CallKeys = { teamId: string; host: string }
/** The deliveries of one channel that are sent in one call. */
export type InFlightBatch = CallKeys & { channel: Channel; deliveries: readonly DueDelivery[] }
/** The limit of a team or of a host. */
export type CallLimit = { of: 'team' | 'host'; name: string }

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
  const isTeamFull = (teamId: string) => teams.get(teamId) >= concurrencyCaps.perTeam
  const isHostFull = (host: string) => host !== '' && hosts.get(host) >= concurrencyCaps.perHost
  return {
    add: (batch: InFlightBatch) => count(batch, 1),
    remove: (batch: InFlightBatch) => count(batch, -1),
    isFull: ({ of, name }: CallLimit) => (of === 'team' ? isTeamFull(name) : isHostFull(name)),
    /** The limit that is reached: the team’s, otherwise the host’s. Undefined if both may make another call. */
    full({ teamId, host }: CallKeys): CallLimit | undefined {
      if (isTeamFull(teamId)) return { of: 'team', name: teamId }
      return isHostFull(host) ? { of: 'host', name: host } : undefined
    },
    inFlight: () => inFlight,
  }
}
