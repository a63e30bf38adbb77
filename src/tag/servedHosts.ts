import { type HostClaim, servedClaim } from './hostClaim.ts'

/** Which host names lead to which tag, in this process. */
export type ServedHosts = {
  /** The tag that DNS has shown a host to be of. */
  tagOf(host: string): string | undefined
  /** Whether the host is served, and has a record in DNS. */
  isReady(host: string): boolean
  /** Serves a host as all its claims stand now. */
  put(host: string, claims: readonly HostClaim[]): void
}

/** `claims`: those of every host, in any order. */
export function servedHosts(claims: readonly HostClaim[] = []): ServedHosts {
  const served = new Map<string, HostClaim>()
  const put: ServedHosts['put'] = (host, all) => {
    const claim = servedClaim(all)
    if (claim) served.set(host, claim)
    else served.delete(host)
  }
  for (const [host, all] of Map.groupBy(claims, (claim) => claim.host)) put(host, all)
  return {
    tagOf: (host) => served.get(host)?.tagId,
    isReady: (host) => served.get(host)?.isMissing === undefined && served.has(host),
    put,
  }
}
