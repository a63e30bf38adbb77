import { isIP } from 'node:net'
import { dnsResolver } from '#kit/dnsResolver.ts'

/** Each look-up rejects like node:dns: with ENOTFOUND or ENODATA if there is no record. */
export type Dns = {
  /** Targets of CNAME records. */
  cname(host: string): Promise<readonly string[]>
  /** A and AAAA addresses. An IP address resolves to itself. */
  addresses(host: string): Promise<readonly string[]>
  /** TXT records, each joined into one text. */
  texts(host: string): Promise<readonly string[]>
}

const isNoRecord = (error: unknown) => ['ENOTFOUND', 'ENODATA'].includes((error as { code?: string }).code ?? '')

/** A name server answered that there is no such record. */
export const hasNoRecord = (lookup: PromiseSettledResult<unknown>): boolean =>
  lookup.status === 'rejected' && isNoRecord(lookup.reason)

/** `servers`: the operator's name servers. If empty, those of the system. */
export function createSystemDns(servers: readonly string[]): Dns {
  return {
    cname: (host) => dnsResolver(servers).resolveCname(host),
    texts: async (host) => (await dnsResolver(servers).resolveTxt(host)).map((parts) => parts.join('')),
    async addresses(host) {
      if (isIP(host)) return [host]
      const resolver = dnsResolver(servers)
      const lookups = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
      const resolved = lookups.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
      const failed = lookups.find((each) => each.status === 'rejected' && !isNoRecord(each.reason)) ?? lookups[0]
      if (resolved.length === 0 && failed?.status === 'rejected') throw failed.reason
      return resolved
    },
  }
}
