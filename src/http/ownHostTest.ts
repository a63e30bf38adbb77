import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { hostName } from '#kit/hostName.ts'
import { isLoopback, type Settings } from '#settings/settings.ts'

/** The paths for the operator's probes and metric scrapers. They reveal nothing about customers. */
const probePaths = /^\/(healthz|readyz|metrics)(\?|$)/
/** Whether a proxy forwarded the request, so that it may come from anywhere. */
const isForwarded = (headers: IncomingHttpHeaders) => 'x-forwarded-for' in headers || 'forwarded' in headers

/** The path for the operator's TLS proxy. */
const proxyPath = /^\/ask(\?|$)/

/** A host that no public DNS record can have: an IP address, or a name without a dot in the operator's network. */
const isBare = (name: string) => isIP(name) !== 0 || name.startsWith('[') || !name.includes('.')

/**
 * Whether a request is for the control API, the pages or OAuth, rather than the edge. They are served only on the host
 * of the origin, and on loopback names if the server listens only on loopback. They are never served on a name that a
 * customer or stranger has pointed here, because their pages would have the same origin. Probes that reach the server
 * without a proxy may use any host except a tag's: balancers and scrapers send the name that they know.
 */
export function createOwnHostTest({ origin, tagOrigin, host }: Pick<Settings, 'origin' | 'tagOrigin' | 'host'>) {
  const ownHost = new URL(origin).hostname
  const tagHost = new URL(tagOrigin).hostname
  const isLocal = isLoopback(host)
  return ({ headers, url = '' }: Pick<IncomingMessage, 'headers' | 'url'>): boolean => {
    const name = hostName(headers.host)
    if (name === ownHost) return true
    if (isLocal && name !== tagHost && isLoopback(name)) return true
    if (probePaths.test(url)) return isBare(name) || (name !== tagHost && !isForwarded(headers))
    return isBare(name) && proxyPath.test(url)
  }
}
