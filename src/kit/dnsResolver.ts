import { Resolver } from 'node:dns/promises'

/** The timeout of a query to a name server. */
const answerMs = 1_500

/**
 * A DNS resolver with these name servers (`address` or `address:port`), or the system's if the list is empty. It uses
 * no hosts file, no search list and no cache, and tries once.
 */
export function dnsResolver(servers: readonly string[]): Resolver {
  const resolver = new Resolver({ timeout: answerMs, tries: 1 })
  if (servers.length > 0) resolver.setServers(servers)
  return resolver
}
