import { isIP, isIPv6 } from 'node:net'
import type { Issue } from '#contract/schema.ts'
import type { HostState } from '#contract/tag.ts'
import type { Clock } from '#kit/clock.ts'
import { type Dns, saysNone } from './dns.ts'
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

const bare = (name: string) => name.toLowerCase().replace(/\.$/, '')

/** The record that makes a host name lead to `target`, the name or address of this server. */
function recordFor(host: string, target: string): string {
  const kind = isIP(target) === 0 ? 'CNAME' : isIPv6(target) ? 'AAAA' : 'A'
  return `${host} ${kind} ${target}`
}

async function stateOf(host: string, target: string, dns: Dns): Promise<HostState['state']> {
  if (isLoopbackName(host)) return 'ready'
  const asked = [dns.cname(host), dns.addresses(host), dns.addresses(target)] as const
  const [cname, theirs, ours] = await Promise.allSettled(asked)
  if (cname.status === 'fulfilled' && cname.value.some((name) => bare(name) === target)) return 'ready'
  if (saysNone(theirs)) return 'missing'
  if (theirs.status === 'rejected' || ours.status === 'rejected') return 'unchecked'
  // The root of a domain cannot have a CNAME, and some lead here over another name: then the addresses are the same.
  return theirs.value.some((address) => ours.value.includes(address)) ? 'ready' : 'elsewhere'
}

/** Whether host names lead here. */
export type HostStates = (hosts: readonly string[]) => Promise<HostState[]>

const keptMs = 60_000
const keptMost = 1_000

/** Asks DNS, and keeps what it says for a minute. `target` is what the names are to lead to. */
export function hostStates(target: string, dns: Dns, clock: Pick<Clock, 'now'>): HostStates {
  const kept = new Map<string, { at: number; state: HostState['state'] }>()
  async function ask(host: string): Promise<HostState['state']> {
    const known = kept.get(host)
    const at = clock.now()
    if (known && at >= known.at && at < known.at + keptMs) return known.state
    const state = await stateOf(host, target, dns)
    if (kept.size >= keptMost) kept.clear()
    kept.set(host, { at, state })
    return state
  }
  return (hosts) =>
    Promise.all(hosts.map(async (host) => ({ host, state: await ask(host), record: recordFor(host, target) })))
}
