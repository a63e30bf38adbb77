import { isIP, isIPv6 } from 'node:net'
import type { HostState } from '#contract/tag.ts'
import type { Clock } from '#kit/clock.ts'
import { fairQueue } from '#kit/fairQueue.ts'
import type { HostClaim, Store } from '#store/store.ts'
import type { Dns } from './dns.ts'
import { checkedClaim, claimState, endOfClaim, isDue } from './hostClaim.ts'
import { lookUpHost, loopbackRecords, proofName } from './hostRecords.ts'
import type { ServedHosts } from './servedHosts.ts'

/** Checks in DNS which tags may claim their hosts, and serves the hosts accordingly. */
export type HostProofs = {
  /** States of hosts of a tag. Looks up hosts whose last look-up is more than a minute ago. */
  states(tagId: string, hosts: readonly string[]): Promise<HostState[]>
  /** Serves these hosts by their stored claims, without a look-up. For use after claims were removed. */
  settle(hosts: readonly string[]): Promise<void>
  /** Looks up every host that is due. Returns the claims that were not proved in time, without removing them. */
  checkDue(): Promise<HostClaim[]>
}

type HostProofsDeps = {
  store: Pick<Store, 'hostClaims' | 'write'>
  servedHosts: ServedHosts
  dns: Dns
  /** The name or address of this server, which hosts must point to. */
  target: string
  clock: Pick<Clock, 'now'>
  /** The team of a tag. The teams take turns. */
  teamOf(tagId: string): string | undefined
}

const recheckMs = 60_000
/** A name server that does not answer takes many seconds, which must not delay other teams. */
const checkLimits = { parallel: 16, parallelPerLane: 4, maxPerLane: 10_000, maxPerKey: 10_000 }
/** Maximum look-ups of a team per round, so that the next round starts soon. */
const checksPerRound = 16

/** The DNS record that points a host to `target`. */
function recordFor(host: string, target: string): string {
  const kind = isIP(target) === 0 ? 'CNAME' : isIPv6(target) ? 'AAAA' : 'A'
  return `${host} ${kind} ${target}`
}

export function openHostProofs({ store, servedHosts, dns, target, clock, teamOf }: HostProofsDeps): HostProofs {
  const queue = fairQueue(checkLimits)
  const checking = new Map<string, Promise<HostClaim[]>>()

  /** Looks up a host, writes the state of each claim, and returns those that were not proved in time. */
  async function checkNow(host: string): Promise<HostClaim[]> {
    const tagIds = (await store.hostClaims({ host })).map(({ tagId }) => tagId)
    const records = loopbackRecords(host, tagIds, target) ?? (await lookUpHost(host, dns))
    const claims = await store.hostClaims({ host })
    const now = clock.now()
    const checked = claims.map((claim) => checkedClaim(claim, records, now))
    const rows = checked.flatMap((claim) => claim ?? [])
    await store.write(rows.map((row) => ({ put: 'hostClaim', row })))
    servedHosts.put(host, rows)
    return claims.filter((_, n) => checked[n] === undefined)
  }
  /** Two teams that claim the same host share its look-up. */
  function check(host: string, tagId: string): Promise<HostClaim[]> {
    const inProgress = checking.get(host)
    if (inProgress) return inProgress
    const lane = teamOf(tagId) ?? tagId
    const started = queue.run({ lane, key: tagId }, () => checkNow(host)).finally(() => checking.delete(host))
    checking.set(host, started)
    return started
  }

  async function stateOf(tagId: string, host: string): Promise<HostState> {
    const ownClaim = (claims: readonly HostClaim[]) => claims.find((claim) => claim.tagId === tagId)
    const { checkedAt = Number.NEGATIVE_INFINITY } = ownClaim(await store.hostClaims({ host })) ?? {}
    const sinceMs = clock.now() - checkedAt
    if (sinceMs >= recheckMs || sinceMs < 0) await check(host, tagId)
    const claims = await store.hostClaims({ host })
    const claim = ownClaim(claims)
    const { provedAt } = claim ?? {}
    const endsAt = claim && endOfClaim(claim)
    return {
      host,
      state: claim ? claimState(claim, claims) : 'unproved',
      record: recordFor(host, target),
      proof: `${proofName(host)} TXT ${tagId}`,
      ...(provedAt !== undefined && { provedAt }),
      ...(endsAt !== undefined && { endsAt }),
    }
  }

  return {
    states: (tagId, hosts) => Promise.all(hosts.map((host) => stateOf(tagId, host))),
    async settle(hosts) {
      for (const host of hosts) servedHosts.put(host, await store.hostClaims({ host }))
    },
    async checkDue() {
      const due = (await store.hostClaims('all')).filter((claim) => isDue(claim, clock.now()))
      const hosts = new Map(due.map(({ host, tagId }) => [host, tagId]))
      const ofTeams = Map.groupBy(hosts, ([, tagId]) => teamOf(tagId) ?? tagId)
      const next = [...ofTeams.values()].flatMap((ofTeam) => ofTeam.slice(0, checksPerRound))
      return (await Promise.all(next.map(([host, tagId]) => check(host, tagId)))).flat()
    },
  }
}
