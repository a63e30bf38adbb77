import { type Dns, saysNone } from './dns.ts'
import { isLoopbackName } from './domain.ts'

/** What DNS says of a host. Undefined is what a name server did not answer. */
export type HostRecords = {
  /** The texts at `_aglet.<host>`. */
  texts?: readonly string[]
  /** Where its CNAME record leads, in lower case, without a dot at the end. */
  aliases?: readonly string[]
  /** It has neither a CNAME nor an address. */
  isMissing?: boolean
}

const bare = (name: string) => name.toLowerCase().replace(/\.$/, '')

/** The value; empty where a name server said that there is none, undefined where none answered. */
const answered = (asked: PromiseSettledResult<readonly string[]>) =>
  asked.status === 'fulfilled' ? asked.value : saysNone(asked) ? [] : undefined

/** The name at which the text stands that shows whose a host is. */
export const proofName = (host: string) => `_aglet.${host}`

/** Asks for the records of a host, all at once. Never rejects. */
export async function lookUpHost(host: string, dns: Dns): Promise<HostRecords> {
  const asked = await Promise.allSettled([dns.texts(proofName(host)), dns.cname(host), dns.addresses(host)])
  const [texts, aliases, addresses] = asked.map(answered)
  const hasRecord = (aliases?.length ?? 0) + (addresses?.length ?? 0) > 0
  const isMissing = hasRecord ? false : aliases && addresses ? true : undefined
  return {
    ...(texts && { texts }),
    ...(aliases && { aliases: aliases.map(bare) }),
    ...(isMissing !== undefined && { isMissing }),
  }
}

/** A loopback name is nobody's in DNS and leads to this machine alone: it is every tag's that claims it, for development. */
export const loopbackRecords = (host: string, tagIds: readonly string[]): HostRecords | undefined =>
  isLoopbackName(host) ? { texts: tagIds, aliases: [], isMissing: false } : undefined
