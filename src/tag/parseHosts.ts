import type { Issue } from '#contract/schema.ts'
import { isLoopbackName, isLoopbackServer, parseDomain } from './domain.ts'

/**
 * Names of this server cannot belong to one tag. Names under `localhost` exist on every machine: a tag may have them
 * only on a loopback server.
 */
function isServerName(host: string, serverNames: readonly string[]): boolean {
  const isForTags = host.endsWith('.localhost') && serverNames.some(isLoopbackServer)
  return serverNames.includes(host) || (isLoopbackName(host) && !isForTags)
}

/** Host names of a tag in lower case, each once. `own` are the names of this server. */
export function parseHosts(
  texts: readonly string[],
  serverNames: readonly string[],
): { hosts: string[] } | { issues: Issue[] } {
  const issues: Issue[] = []
  const hosts = texts.map((text, at) => {
    const parsed = parseDomain(text)
    const host = 'domain' in parsed ? parsed.domain : ''
    const path = `hosts.${at}`
    if (!host) issues.push({ path, message: 'is not a host name: write, for example, d.example.com' })
    else if (isServerName(host, serverNames))
      issues.push({ path, message: 'is a host name of this server: a tag cannot use it' })
    return host
  })
  return issues.length > 0 ? { issues } : { hosts: [...new Set(hosts)] }
}
