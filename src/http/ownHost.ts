import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { isLoopback, type Settings } from '#contract/settings.ts'
import { hostName } from '#kit/hostName.ts'

/** What machines of the operator ask for: probes, scrapers, and the proxy that ends TLS. */
const forMachines = /^\/(healthz|readyz|metrics|ask)(\?|$)/

/** A name that no public DNS record can lead to: an address, or a name of one word in a network of the operator's. */
const isBare = (name: string) => isIP(name) !== 0 || name.startsWith('[') || !name.includes('.')

/**
 * Whether a request is addressed to what is not the edge: the control API, the pages, OAuth. They answer on the host of the
 * origin alone, and on the names of this machine where the server listens to nobody else; never on a name that a customer
 * or a stranger has pointed here, where a page of theirs would be of the same origin.
 */
export function ownHost({ origin, tagOrigin, host }: Pick<Settings, 'origin' | 'tagOrigin' | 'host'>) {
  const own = new URL(origin).hostname
  const ofTags = new URL(tagOrigin).hostname
  const isLocal = isLoopback(host)
  return ({ headers, url = '' }: Pick<IncomingMessage, 'headers' | 'url'>): boolean => {
    const name = hostName(headers.host)
    if (name === own) return true
    if (isLocal && name !== ofTags && isLoopback(name)) return true
    return isBare(name) && forMachines.test(url)
  }
}
