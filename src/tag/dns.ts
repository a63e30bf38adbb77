import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'

/** What the name servers say of a name. Each rejects as node:dns does: ENOTFOUND and ENODATA where there is no record. */
export type Dns = {
  /** Where its CNAME record leads. */
  cname(host: string): Promise<readonly string[]>
  /** Its addresses; an address is its own. */
  addresses(host: string): Promise<readonly string[]>
}

const answerMs = 1_500

const isNoRecord = (error: unknown) => ['ENOTFOUND', 'ENODATA'].includes((error as { code?: string }).code ?? '')

/** Whether a name server said that there is no such record. */
export const saysNone = (asked: PromiseSettledResult<unknown>): boolean =>
  asked.status === 'rejected' && isNoRecord(asked.reason)

export function systemDns(): Dns {
  const resolver = () => new Resolver({ timeout: answerMs, tries: 1 })
  return {
    cname: (host) => resolver().resolveCname(host),
    async addresses(host) {
      if (isIP(host)) return [host]
      const asking = resolver()
      const asked = await Promise.allSettled([asking.resolve4(host), asking.resolve6(host)])
      const found = asked.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
      const failed = asked.find((each) => each.status === 'rejected' && !isNoRecord(each.reason)) ?? asked[0]
      if (found.length === 0 && failed?.status === 'rejected') throw failed.reason
      return found
    },
  }
}
