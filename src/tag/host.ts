import type { Issue } from '#contract/schema.ts'
import { isLoopbackName, readDomain } from './domain.ts'

/** Names by which this machine itself is reached are no names of one tag. */
const isOwn = (host: string, own: readonly string[]) =>
  own.includes(host) || (isLoopbackName(host) && !host.endsWith('.localhost'))

/** Host names of a tag in lower case, each once. `own` are the names of this server. */
export function readHosts(texts: readonly string[], own: readonly string[]): { hosts: string[] } | { issues: Issue[] } {
  const issues: Issue[] = []
  const hosts = texts.map((text, at) => {
    const read = readDomain(text)
    const host = 'domain' in read ? read.domain : ''
    const path = `hosts.${at}`
    if (!host) issues.push({ path, message: 'is not a host name: write it like d.example.com' })
    else if (isOwn(host, own)) issues.push({ path, message: 'is a name of this server: no tag can have it' })
    return host
  })
  return issues.length > 0 ? { issues } : { hosts: [...new Set(hosts)] }
}
