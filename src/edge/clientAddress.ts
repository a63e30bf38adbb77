import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** The IP address of the caller: the peer, or the client behind trusted proxies. Undefined if unknown. */
export type AddressOf = (request: IncomingMessage) => string | undefined

/** Returns a test: the address lies in one of these CIDR ranges. */
function rangeTest(cidrs: readonly string[]): (address: Address) => boolean {
  const ranges = cidrs.map((range) => ipaddr.parseCIDR(range))
  return (address) => ranges.some((range) => range[0].kind() === address.kind() && address.match(range))
}

/** Returns a test: the peer is a trusted proxy, so the caller did not write its forwarding headers. */
export function fromProxy(trustProxy: readonly string[]): (request: IncomingMessage) => boolean {
  const isTrusted = rangeTest(trustProxy)
  return ({ socket }) => {
    const address = parse(socket.remoteAddress ?? '')
    return address !== undefined && isTrusted(address)
  }
}

/**
 * Compiles the CIDR ranges of trusted proxies. Reads `X-Forwarded-For` from the right, and uses an entry only if the
 * proxy that wrote it is trusted. Entries sent by the caller are never reached.
 */
export function clientAddress(trustProxy: readonly string[]): AddressOf {
  if (trustProxy.length === 0) return ({ socket }) => socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/, '')
  const isTrusted = rangeTest(trustProxy)
  return (request) => {
    let address = parse(request.socket.remoteAddress ?? '')
    for (const hop of hopsOf(request).reverse()) {
      if (!address || !isTrusted(address)) break
      address = parse(hop)
    }
    return address?.toString()
  }
}

/** The peer addresses recorded by proxies. The nearest proxy's entry is last. */
function hopsOf({ headers }: IncomingMessage): string[] {
  const forwarded = headers['x-forwarded-for']
  return forwarded ? String(forwarded).split(',') : []
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. Unwraps IPv4-mapped IPv6. */
function parse(hop: string): Address | undefined {
  const text = hop
    .trim()
    .replace(/^\[(.+)\](:\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1')
  return isIP(text) ? ipaddr.process(text) : undefined
}
