import { Resolver } from 'node:dns/promises'

/** How long a name server has to answer. */
const answerMs = 1_500

/**
 * A resolver that asks these name servers (`address` or `address:port`), the system's where none is named: no hosts file,
 * no search list, no cache, one try.
 */
export function dnsResolver(servers: readonly string[]): Resolver {
  const resolver = new Resolver({ timeout: answerMs, tries: 1 })
  if (servers.length > 0) resolver.setServers(servers)
  return resolver
}
