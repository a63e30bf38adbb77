import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/**
 * The IP address of the caller: the peer, or the client that trusted proxies forward for. Undefined where it is
 * unknown.
 */
export type AddressOf = (request: IncomingMessage) => string | undefined

/** Whether an address lies in one of these CIDR ranges. */
function rangeTest(cidrs: readonly string[]): (address: Address) => boolean {
  const ranges = cidrs.map((range) => ipaddr.parseCIDR(range))
  return (address) => ranges.some((range) => range[0].kind() === address.kind() && address.match(range))
}

/** Whether the peer is a trusted proxy, so that its forwarding headers were not written by the caller. */
export function fromProxy(trustProxy: readonly string[]): (request: IncomingMessage) => boolean {
  const isTrusted = rangeTest(trustProxy)
  return ({ socket }) => {
    const address = parse(socket.remoteAddress ?? '')
    return address !== undefined && isTrusted(address)
  }
}

/**
 * Compiles the CIDR ranges of trusted proxies. `X-Forwarded-For` is read from the right, and an entry is used only
 * when the proxy that wrote it is trusted. Entries that the caller sent himself are never reached.
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

/** The peer addresses that proxies recorded, the nearest proxy's last. */
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
