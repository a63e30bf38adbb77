import type { IncomingMessage } from 'node:http'
import type { TrustProxy } from '#contract/settings.ts'
import type { Located } from '#geo/locate.ts'
import { placeInHeaders } from '#geo/told.ts'
import { fromProxy } from './address.ts'

/** Where a CDN says that the caller is; undefined where none is trusted to, or it does not know. */
export type PlaceOf = (request: IncomingMessage) => Located | undefined

/** Believes the CDN that the operator names, and it only as the other end of the connection: everybody can write its headers. */
export function toldPlace({ ranges, cdn }: TrustProxy): PlaceOf {
  if (!cdn) return () => undefined
  const isTrusted = fromProxy(ranges)
  return (request) => (isTrusted(request) ? placeInHeaders(request.headers, cdn) : undefined)
}
