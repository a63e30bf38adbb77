import type { IncomingMessage } from 'node:http'
import { fromProxy } from './clientAddress.ts'

/** The path of a shop under which a trusted proxy passes requests on to a tag URL: `/metrics`. Undefined without one. */
export type PrefixOf = (request: IncomingMessage) => string | undefined

/** No dots that a browser would resolve, nothing encoded, no empty part: it becomes the path of a cookie and part of URLs. */
const plainPath = /^(?:\/[A-Za-z0-9_-][A-Za-z0-9._~-]*){1,8}$/
const maxLength = 200

/** Reads `X-Forwarded-Prefix` only where the peer is a trusted proxy: anybody can send it. A value of another form is none. */
export function forwardedPrefix(trustProxy: readonly string[]): PrefixOf {
  if (trustProxy.length === 0) return () => undefined
  const isTrusted = fromProxy(trustProxy)
  return (request) => {
    const prefix = request.headers['x-forwarded-prefix']
    if (typeof prefix !== 'string' || prefix.length > maxLength || !plainPath.test(prefix)) return undefined
    return isTrusted(request) ? prefix : undefined
  }
}
