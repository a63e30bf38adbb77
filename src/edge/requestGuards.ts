import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { type Fault, fault } from '#contract/fault.ts'
import { hopHeader } from '#provider/engine/wireRequest.ts'
import type { Edge, EdgeCall } from './edge.ts'
import type { OriginTest } from './originTest.ts'

const preflightSeconds = '86400'

/**
 * Adds the CORS headers for a listed origin, so that its page can read this response, errors included. True for a
 * listed origin; false for a server, which sends no origin. Throws originRefused for any other origin.
 */
export function refuseOrigin(isListed: OriginTest, request: IncomingMessage, headers: OutgoingHttpHeaders): boolean {
  const { origin } = request.headers
  if (origin === undefined) return false
  if (!isListed(origin)) throw fault('originRefused')
  headers['access-control-allow-origin'] = origin
  headers['access-control-allow-credentials'] = 'true'
  return true
}

/** The answer to a CORS preflight. `methods` as in the header Allow: `GET, POST`. */
export function preflightHeaders(methods: string, { userHeader }: Edge): OutgoingHttpHeaders {
  return {
    allow: `${methods}, OPTIONS`,
    'access-control-allow-methods': methods,
    'access-control-allow-headers': `content-type, content-encoding, ${userHeader}, authorization, team-id, aglet-preview`,
    'access-control-max-age': preflightSeconds,
  }
}

/** methodNotAllowed, with the header Allow. `methods` as in that header: `GET, POST`. */
export function methodFault(methods: string, request: IncomingMessage): Fault {
  const isBodyOfGet = (request.method === 'GET' || request.method === 'HEAD') && hasBody(request)
  return fault('methodNotAllowed', {
    headers: { allow: `${methods}, OPTIONS` },
    ...(isBodyOfGet && { message: `A GET request must not have a body. Send the body with ${methods}.` }),
  })
}

/** Throws badRequest if a GET or HEAD has a body. */
export function refuseBodyOfGet(request: IncomingMessage): void {
  if (hasBody(request))
    throw fault('badRequest', { message: 'A GET request must not have a body. Send the parameters in the query.' })
}

const ownSites: readonly (string | undefined)[] = ['same-origin', 'same-site', 'none']

/**
 * Throws navigationRefused if another site's link, form or redirect opens the address, because the browser then sends
 * the visitor's first-party cookie. Browsers set both headers, and no page can (Fetch Metadata, W3C).
 */
export function refuseNavigation({ headers }: IncomingMessage): void {
  if (headers['sec-fetch-mode'] !== 'navigate') return
  if (!ownSites.includes(headers['sec-fetch-site'] as string | undefined)) throw fault('navigationRefused')
}

/**
 * Throws loopRefused for a request from a channel of this server, because it would be delivered again without end.
 */
export function refuseLoop({ headers }: IncomingMessage): void {
  if (hopHeader in headers) throw fault('loopRefused')
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

type GuardedCall = Pick<EdgeCall, 'edge' | 'tag'>

/**
 * Throws overloaded while no event of the tag can be accepted. Runs before the body is read, because reading takes
 * memory.
 */
export function refuseWhenBusy({ edge: { deps }, tag }: GuardedCall): void {
  const afterSeconds = deps.retryAfterSeconds(tag.tagId)
  if (afterSeconds !== undefined) throw overloaded(afterSeconds)
}

/**
 * Counts the memory of a request until its response is closed. The returned function throws overloaded if all
 * requests together hold too much: many senders may have started while there was room.
 */
export function countBodyBytes(
  { edge: { deps }, tag }: GuardedCall,
  response: ServerResponse,
): (bytes: number) => void {
  const { tagId } = tag
  const memory = deps.countMemory(tagId)
  response.once('close', memory.release)
  return (bytes) => {
    memory.add(bytes)
    if (deps.isFull(tagId)) throw overloaded(1)
  }
}

export const overloaded = (afterSeconds: number) =>
  fault('overloaded', { headers: { 'retry-after': String(Math.max(1, Math.ceil(afterSeconds))) } })
