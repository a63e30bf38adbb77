import type { IncomingMessage } from 'node:http'
import { readCdnLocation } from '#geo/cdnHeaders.ts'
import type { Location } from '#geo/locate.ts'
import type { TrustProxy } from '#settings/trustProxy.ts'
import { fromProxy } from './clientAddress.ts'

/**
 * The caller's location from the headers of a trusted CDN; undefined without a CDN, or if the CDN does not know it.
 */
export type CdnLocationOf = (request: IncomingMessage) => Location | undefined

/** Reads the headers of the CDN in the settings, only if the peer is that CDN: anybody can send these headers. */
export function cdnLocation({ ranges, cdn }: TrustProxy): CdnLocationOf {
  if (!cdn) return () => undefined
  const isTrusted = fromProxy(ranges)
  return (request) => (isTrusted(request) ? readCdnLocation(request.headers, cdn) : undefined)
}
