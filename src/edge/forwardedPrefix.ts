import type { IncomingMessage } from 'node:http'
import { fromProxy } from './clientAddress.ts'

/**
 * The shop path under which a trusted proxy forwards requests to a tag URL, such as `/metrics`. Undefined without one.
 */
export type PrefixOf = (request: IncomingMessage) => string | undefined

/**
 * No dots that a browser would resolve, no percent-encoding, no empty segment: the prefix becomes the path of a cookie and
 * part of URLs.
 */
const plainPath = /^(?:\/[A-Za-z0-9_-][A-Za-z0-9._~-]*){1,8}$/
const maxLength = 200

/** Reads `X-Forwarded-Prefix` only if the peer is a trusted proxy: anybody can send it. An invalid value is ignored. */
export function forwardedPrefix(trustProxy: readonly string[]): PrefixOf {
  if (trustProxy.length === 0) return () => undefined
  const isTrusted = fromProxy(trustProxy)
  return (request) => {
    const prefix = request.headers['x-forwarded-prefix']
    if (typeof prefix !== 'string' || prefix.length > maxLength || !plainPath.test(prefix)) return undefined
    return isTrusted(request) ? prefix : undefined
  }
}
