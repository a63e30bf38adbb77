import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** IANA special-purpose IPv4 space: none of it is a public destination. */
const refusedV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
].map((range) => ipaddr.IPv4.parseCIDR(range))

/** Public IPv6 is global unicast without the blocks for tunnels, documentation and anycast sinks. */
const globalV6 = ipaddr.IPv6.parseCIDR('2000::/3')
const refusedV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '2620:4f:8000::/48'].map((range) =>
  ipaddr.IPv6.parseCIDR(range),
)

/** Whether a text is a public IP address in its usual notation. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) {
    const bytes = ipaddr.IPv4.parse(address)
    return !refusedV4.some((range) => bytes.match(range))
  }
  if (isIP(address) !== 6 || address.includes('%')) return false
  const bytes = ipaddr.IPv6.parse(address)
  return bytes.match(globalV6) && !refusedV6.some((range) => bytes.match(range))
}
