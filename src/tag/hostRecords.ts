import { type Dns, hasNoRecord } from './dns.ts'
import { isLoopbackName, isLoopbackServer } from './domain.ts'

/** A field is undefined if the look-up had no answer. */
export type HostRecords = {
  /** The TXT records of `_aglet.<host>`. */
  texts?: readonly string[]
  /** The targets of its CNAME records, in lower case, without a trailing dot. */
  aliases?: readonly string[]
  /** True if the host has neither a CNAME record nor an address. */
  isMissing?: boolean
}

const normalizeName = (name: string) => name.toLowerCase().replace(/\.$/, '')

/** Empty if a name server answered that there are none, undefined if none answered. */
const valuesOf = (lookup: PromiseSettledResult<readonly string[]>) =>
  lookup.status === 'fulfilled' ? lookup.value : hasNoRecord(lookup) ? [] : undefined

/** The name of the TXT record that proves a claim to a host. */
export const proofName = (host: string) => `_aglet.${host}`

/** Looks up the records of a host concurrently. Never rejects. */
export async function lookUpHost(host: string, dns: Dns): Promise<HostRecords> {
  const lookups = await Promise.allSettled([dns.texts(proofName(host)), dns.cname(host), dns.addresses(host)])
  const [texts, aliases, addresses] = lookups.map(valuesOf)
  const hasRecord = (aliases?.length ?? 0) + (addresses?.length ?? 0) > 0
  const isMissing = hasRecord ? false : aliases && addresses ? true : undefined
  return {
    ...(texts && { texts }),
    ...(aliases && { aliases: aliases.map(normalizeName) }),
    ...(isMissing !== undefined && { isMissing }),
  }
}

/**
 * A loopback name has no public DNS records. On a loopback server every claim to it counts as proved, for
 * development. Elsewhere none does, because such a name leads each caller to their own machine.
 */
export function loopbackRecords(host: string, tagIds: readonly string[], target: string): HostRecords | undefined {
  if (!isLoopbackName(host)) return undefined
  return { texts: isLoopbackServer(target) ? tagIds : [], aliases: [], isMissing: false }
}
