import { isIP, isIPv6 } from 'node:net'
import type { HostState } from '#contract/tag.ts'
import type { Clock } from '#kit/clock.ts'
import type { Store } from '#store/store.ts'
import type { Dns } from './dns.ts'
import { checkedClaim, claimState, endOfClaim, type HostClaim, isDue } from './hostClaim.ts'
import { lookUpHost, loopbackRecords, proofName } from './hostRecords.ts'
import type { ServedHosts } from './servedHosts.ts'

/** Asks DNS whose the hosts of tags are, and serves them accordingly. */
export type HostProofs = {
  /** How these hosts of a tag stand. DNS is asked for those that it was not asked for within a minute. */
  states(tagId: string, hosts: readonly string[]): Promise<HostState[]>
  /** Serves these hosts as their claims stand, without asking DNS: after claims were given up. */
  settle(hosts: readonly string[]): Promise<void>
  /** Asks DNS for every host whose time has come. Gives the claims that were not proved in time, which are still there. */
  checkDue(): Promise<HostClaim[]>
}

export type HostProofsDeps = {
  store: Pick<Store, 'hostClaims' | 'write'>
  servedHosts: ServedHosts
  dns: Dns
  /** The name or address of this server, to which hosts are to lead. */
  target: string
  clock: Pick<Clock, 'now'>
}

const freshMs = 60_000
/** Hosts that are asked for at once. */
const atOnce = 8

/** The record that makes a host lead to `target`. */
function recordFor(host: string, target: string): string {
  const kind = isIP(target) === 0 ? 'CNAME' : isIPv6(target) ? 'AAAA' : 'A'
  return `${host} ${kind} ${target}`
}

export function openHostProofs({ store, servedHosts, dns, target, clock }: HostProofsDeps): HostProofs {
  const checking = new Map<string, Promise<HostClaim[]>>()

  /** Asks DNS for a host, writes down what it says of each claim, and gives those that were not proved in time. */
  async function checkNow(host: string): Promise<HostClaim[]> {
    const tagIds = (await store.hostClaims({ host })).map(({ tagId }) => tagId)
    const records = loopbackRecords(host, tagIds) ?? (await lookUpHost(host, dns))
    const claims = await store.hostClaims({ host })
    const now = clock.now()
    const checked = claims.map((claim) => checkedClaim(claim, records, now))
    const rows = checked.flatMap((claim) => claim ?? [])
    await store.write(rows.map((row) => ({ put: 'hostClaim', row })))
    servedHosts.put(host, rows)
    return claims.filter((_, n) => checked[n] === undefined)
  }
  function check(host: string): Promise<HostClaim[]> {
    const known = checking.get(host)
    if (known) return known
    const now = checkNow(host).finally(() => checking.delete(host))
    checking.set(host, now)
    return now
  }

  async function stateOf(tagId: string, host: string): Promise<HostState> {
    const own = (claims: readonly HostClaim[]) => claims.find((claim) => claim.tagId === tagId)
    const { checkedAt = Number.NEGATIVE_INFINITY } = own(await store.hostClaims({ host })) ?? {}
    const sinceMs = clock.now() - checkedAt
    if (sinceMs >= freshMs || sinceMs < 0) await check(host)
    const claims = await store.hostClaims({ host })
    const claim = own(claims)
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
      // What is served goes first: name servers of claims that nobody proves may be slow.
      due.sort((one, other) => (other.provedAt ?? 0) - (one.provedAt ?? 0))
      const hosts = [...new Set(due.map(({ host }) => host))]
      const unproved: HostClaim[] = []
      while (hosts.length > 0) unproved.push(...(await Promise.all(hosts.splice(0, atOnce).map(check))).flat())
      return unproved
    },
  }
}
