import type { IncomingMessage } from 'node:http'
import { readCdnLocation } from '#geo/cdnHeaders.ts'
import type { Location } from '#geo/locate.ts'
import type { TrustProxy } from '#settings/trustProxy.ts'
import { fromProxy } from './clientAddress.ts'

/** The caller's location by the headers of a trusted CDN; undefined without one, or where the CDN does not know it. */
export type CdnLocationOf = (request: IncomingMessage) => Location | undefined

/** Reads the headers of the CDN that the operator names, only when it is the peer: anybody can send these headers. */
export function cdnLocation({ ranges, cdn }: TrustProxy): CdnLocationOf {
  if (!cdn) return () => undefined
  const isTrusted = fromProxy(ranges)
  return (request) => (isTrusted(request) ? readCdnLocation(request.headers, cdn) : undefined)
}
