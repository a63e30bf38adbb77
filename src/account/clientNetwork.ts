import ipaddr from 'ipaddr.js'

/**
 * The key to count an IP address's attempts by: an IPv4 address itself, or the /64 network of an IPv6 address, because
 * one subscriber may have all of it. Other text is returned unchanged.
 */
export function clientNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : Buffer.from(parsed.toByteArray().slice(0, 8)).toString('hex')
}
