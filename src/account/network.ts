import ipaddr from 'ipaddr.js'

/**
 * What the attempts of an address are counted by: the address itself, or of IPv6 its network of 64 bits, all of which one
 * subscriber may have. What is no address stays as it is.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : Buffer.from(parsed.toByteArray().slice(0, 8)).toString('hex')
}
