import type { DueDelivery } from '#store/store.ts'
import type { Channel } from './channel.ts'

/** How many calls are under way at most: of all channels, of a team, to a host. */
export const overall = { inFlight: 2_048, perTeam: 1_024, perHost: 256 }

/** Deliveries of one channel that go in one call. */
export type Flight = { channel: Channel; deliveries: readonly DueDelivery[]; teamId: string; host: string }

/** The calls under way. */
export type Traffic = {
  add(flight: Flight): void
  remove(flight: Flight): void
  /** Its team, or the host that it calls, has no room for one more. */
  isFull(of: Pick<Flight, 'teamId' | 'host'>): boolean
  inFlight(): number
}

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

export function openTraffic(): Traffic {
  const teams = counting()
  const hosts = counting()
  let inFlight = 0

  function count({ teamId, host }: Flight, by: 1 | -1): void {
    inFlight += by
    teams.add(teamId, by)
    hosts.add(host, by)
  }
  return {
    add: (flight) => count(flight, 1),
    remove: (flight) => count(flight, -1),
    isFull: ({ teamId, host }) =>
      teams.of(teamId) >= overall.perTeam || (host !== '' && hosts.of(host) >= overall.perHost),
    inFlight: () => inFlight,
  }
}
