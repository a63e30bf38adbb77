import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { fault } from '#contract/fault.ts'
import { hopHeader } from '#provider/engine/send.ts'
import type { Edge } from './edge.ts'
import type { OriginTest } from './origin.ts'

const preflightSeconds = '86400'

/**
 * Lets a page of a listed origin read every answer from here on, and refuses the others. True when there was an origin
 * and it is listed; false for a server, which sends none. Throws originRefused.
 */
export function refuseOrigin(isListed: OriginTest, request: IncomingMessage, headers: OutgoingHttpHeaders): boolean {
  const { origin } = request.headers
  if (origin === undefined) return false
  if (!isListed(origin)) throw fault('originRefused')
  headers['access-control-allow-origin'] = origin
  headers['access-control-allow-credentials'] = 'true'
  return true
}

/** What a browser asks before it sends anything that is not simple. `methods` as in a header: `GET, POST`. */
export function preflightHeaders(methods: string, { userHeader }: Edge): OutgoingHttpHeaders {
  return {
    allow: `${methods}, OPTIONS`,
    'access-control-allow-methods': methods,
    'access-control-allow-headers': `content-type, ${userHeader}, authorization, team-id`,
    'access-control-max-age': preflightSeconds,
  }
}

/** Throws methodNotAllowed, with what is allowed, and badRequest for a GET that has a body. */
export function refuseMethod(methods: string, request: IncomingMessage): void {
  const isBodyOfGet = request.method === 'GET' && hasBody(request)
  if (!methods.split(', ').includes(request.method ?? ''))
    throw fault('methodNotAllowed', {
      headers: { allow: `${methods}, OPTIONS` },
      ...(isBodyOfGet && { message: `A GET has no body: send it by ${methods}.` }),
    })
  if (isBodyOfGet) throw fault('badRequest', { message: 'A GET has no body: say in the query what you ask for.' })
}

const ownSites: readonly (string | undefined)[] = ['same-origin', 'same-site', 'none']

/**
 * Throws navigationRefused for a link, form or redirect of another site that opens the address: the browser sends the
 * visitor's first-party cookie with it. Browsers set both headers, and no page can (Fetch Metadata, W3C).
 */
export function refuseNavigation({ headers }: IncomingMessage): void {
  if (headers['sec-fetch-mode'] !== 'navigate') return
  if (!ownSites.includes(headers['sec-fetch-site'] as string | undefined)) throw fault('navigationRefused')
}

/** Throws loopRefused for what a channel sent to an address of ours: it would go out again, and come again. */
export function refuseLoop({ headers }: IncomingMessage): void {
  if (hopHeader in headers) throw fault('loopRefused')
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Throws overloaded while no event can be taken: before the body, which costs memory, is read. */
export function refuseWhenBusy({ on }: Edge): void {
  const afterSeconds = on.busy()
  if (afterSeconds !== undefined) throw overloaded(afterSeconds)
}

/**
 * Counts what a call brings until it is answered. Throws overloaded where so much is open that the rest is not read: many may
 * have begun to send while there was room.
 */
export function holdBody({ on }: Edge, response: ServerResponse): (bytes: number) => void {
  const held = on.hold()
  response.once('close', held.letGo)
  return (bytes) => {
    held.add(bytes)
    if (on.isFull()) throw overloaded(1)
  }
}

export const overloaded = (afterSeconds: number) =>
  fault('overloaded', { headers: { 'retry-after': String(Math.max(1, Math.ceil(afterSeconds))) } })
