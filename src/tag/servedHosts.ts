import type { HostClaim } from '#store/store.ts'
import { servedClaim } from './hostClaim.ts'

export type ServedHosts = {
  /** The tag that has proved its claim to the host. */
  tagOf(host: string): string | undefined
  /** True if the host is served and has a record in DNS. */
  isReady(host: string): boolean
  /** Serves a host by all its claims. */
  put(host: string, claims: readonly HostClaim[]): void
  /** The claims that are served. */
  claims(): HostClaim[]
}

/** `claims`: the claims to all hosts, in any order. */
export function createServedHosts(claims: readonly HostClaim[] = []): ServedHosts {
  const served = new Map<string, HostClaim>()
  const put: ServedHosts['put'] = (host, hostClaims) => {
    const claim = servedClaim(hostClaims)
    if (claim) served.set(host, claim)
    else served.delete(host)
  }
  for (const [host, hostClaims] of Map.groupBy(claims, (claim) => claim.host)) put(host, hostClaims)
  return {
    tagOf: (host) => served.get(host)?.tagId,
    isReady: (host) => served.get(host)?.isMissing === undefined && served.has(host),
    put,
    claims: () => [...served.values()],
  }
}
