import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
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

/** Public IPv6 is global unicast except the blocks for tunnels, documentation and anycast sinks. */
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

/** Link-local addresses, and the addresses where clouds serve metadata and credentials of their machines. */
const refusedAlways = [
  '169.254.0.0/16', // link-local; AWS, Google Cloud, Azure, Oracle, DigitalOcean, Tencent and others
  '100.100.100.200/32', // Alibaba Cloud
  '168.63.129.16/32', // Azure WireServer, on a public address
  '192.0.0.192/32', // Oracle Cloud Classic
  'fe80::/10', // link-local; OpenStack and others
  'fd00:ec2::/32', // AWS
  'fd20:ce::254/128', // Google Cloud
  'fd00:c1::a9fe:a9fe/128', // Oracle Cloud
  'fd00:a9fe:a9fe::/64', // Akamai
  'fd00:42::42/128', // Scaleway
  'fd00:100::100:200/128', // Alibaba Cloud
].map((range) => ipaddr.parseCIDR(range))

type Address = ipaddr.IPv4 | ipaddr.IPv6

/**
 * Prefixes of addresses whose last four bytes are an IPv4 address: compatible, mapped, translated (RFC 2765), NAT64
 * (RFC 6052, RFC 8215).
 */
const endsInV4 = ['::/96', '::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48'].map((range) =>
  ipaddr.IPv6.parseCIDR(range),
)
const sixToFour = ipaddr.IPv6.parseCIDR('2002::/16')
const teredo = ipaddr.IPv6.parseCIDR('2001::/32')

/** The IPv4 addresses that an IPv6 address may reach through a gateway or the machine's own stack. */
function embeddedV4(address: ipaddr.IPv6): ipaddr.IPv4[] {
  const bytes = address.toByteArray()
  const last = bytes.slice(12)
  if (endsInV4.some((range) => address.match(range))) return [new ipaddr.IPv4(last)]
  if (address.match(sixToFour)) return [new ipaddr.IPv4(bytes.slice(2, 6))]
  // Teredo (RFC 4380) contains the server's IPv4 address, and the client's with every bit inverted.
  if (address.match(teredo))
    return [bytes.slice(4, 8), last.map((byte) => byte ^ 0xff)].map((v4) => new ipaddr.IPv4(v4))
  return []
}

/** An address without its zone, and the IPv4 addresses embedded in it. Empty if the text is not an address. */
function addressesIn(text: string): Address[] {
  if (isIP(text) === 0) return []
  const address = ipaddr.parse(text.split('%', 1)[0]!)
  return address instanceof ipaddr.IPv6 ? [address, ...embeddedV4(address)] : [address]
}

const isWithin = (address: Address, [range, bits]: [Address, number]) =>
  address.kind() === range.kind() && address.match(range, bits)

/**
 * True for addresses that no setting allows: link-local, cloud metadata, and texts that are not an address in its usual
 * notation.
 */
export function isNeverCalled(text: string): boolean {
  const addresses = addressesIn(text)
  return addresses.length === 0 || addresses.some((each) => refusedAlways.some((range) => isWithin(each, range)))
}

const loopback = ['127.0.0.0/8', '0.0.0.0/8', '::1/128', '::/128'].map((range) => ipaddr.parseCIDR(range))

/** Whether this address belongs to this machine: loopback, unspecified, or the address of an interface. */
export function isOfThisMachine(text: string): boolean {
  const interfaces = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  const own = interfaces.map(({ address }) => ipaddr.parse(address.split('%', 1)[0]!).toNormalizedString())
  return addressesIn(text).some(
    (each) => loopback.some((range) => isWithin(each, range)) || own.includes(each.toNormalizedString()),
  )
}
