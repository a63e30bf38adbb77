import { isIP } from 'node:net'
import { dnsResolver } from '#kit/dnsResolver.ts'

/** What the name servers say of a name. Each rejects as node:dns does: ENOTFOUND and ENODATA where there is no record. */
export type Dns = {
  /** Where its CNAME record leads. */
  cname(host: string): Promise<readonly string[]>
  /** Its addresses; an address is its own. */
  addresses(host: string): Promise<readonly string[]>
  /** Its texts, each in one piece. */
  texts(host: string): Promise<readonly string[]>
}

const isNoRecord = (error: unknown) => ['ENOTFOUND', 'ENODATA'].includes((error as { code?: string }).code ?? '')

/** Whether a name server said that there is no such record. */
export const saysNone = (asked: PromiseSettledResult<unknown>): boolean =>
  asked.status === 'rejected' && isNoRecord(asked.reason)

/** `servers`: name servers of the operator's; none: the system's. */
export function systemDns(servers: readonly string[]): Dns {
  return {
    cname: (host) => dnsResolver(servers).resolveCname(host),
    texts: async (host) => (await dnsResolver(servers).resolveTxt(host)).map((parts) => parts.join('')),
    async addresses(host) {
      if (isIP(host)) return [host]
      const resolver = dnsResolver(servers)
      const asked = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
      const found = asked.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
      const failed = asked.find((each) => each.status === 'rejected' && !isNoRecord(each.reason)) ?? asked[0]
      if (found.length === 0 && failed?.status === 'rejected') throw failed.reason
      return found
    },
  }
}
