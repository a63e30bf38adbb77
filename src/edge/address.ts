import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Who calls: the other end of the connection, or whom trusted proxies forward for; undefined when they do not know. */
export type AddressOf = (request: IncomingMessage) => string | undefined

/** Whether an address lies in one of these CIDR ranges. */
function rangeTest(cidrs: readonly string[]): (address: Address) => boolean {
  const ranges = cidrs.map((range) => ipaddr.parseCIDR(range))
  return (address) => ranges.some((range) => range[0].kind() === address.kind() && address.match(range))
}

/** Whether the other end of the connection is a trusted proxy: what it says in headers is no word of the caller's. */
export function fromProxy(trustProxy: readonly string[]): (request: IncomingMessage) => boolean {
  const isTrusted = rangeTest(trustProxy)
  return ({ socket }) => {
    const address = parse(socket.remoteAddress ?? '')
    return address !== undefined && isTrusted(address)
  }
}

/**
 * Compiles the CIDR ranges of trusted proxies. `X-Forwarded-For` is walked from the right, and an entry is believed
 * only when the one that wrote it is trusted: what a caller puts into the header himself is never reached.
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

/** The other ends that proxies saw, the nearest last. */
function hopsOf({ headers }: IncomingMessage): string[] {
  const forwarded = headers['x-forwarded-for']
  return forwarded ? String(forwarded).split(',') : []
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. IPv4 in IPv6 clothes is undressed. */
function parse(hop: string): Address | undefined {
  const text = hop
    .trim()
    .replace(/^\[(.+)\](:\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1')
  return isIP(text) ? ipaddr.process(text) : undefined
}
