import { lookup } from 'node:dns/promises'
import { isIP, isIPv6 } from 'node:net'
import type { buildConnector } from 'undici'
import { dnsResolver } from '#kit/dnsResolver.ts'
import { isNeverCalled, isOfThisMachine, isPublicAddress } from './publicAddress.ts'

/** What the operator allows for requests to a host that a customer sets. */
export type GuardPolicy = {
  /** Development: private addresses, http and any port. */
  allowPrivate: boolean
  /** Ports besides 443. */
  ports: readonly number[]
  /** Ports on which this server listens. No setting opens them. */
  ownPorts: readonly number[]
}

/** A host and port of a URL or of a connection; an empty port is the protocol's own. */
type Endpoint = { hostname: string; protocol: string; port: string }

const portOf = ({ protocol, port }: Endpoint): number => Number(port) || (protocol === 'https:' ? 443 : 80)

/** Whether a customer may have a connection made to this address and port. */
function mayConnect(address: string, port: number, { allowPrivate, ownPorts }: GuardPolicy): boolean {
  if (isNeverCalled(address)) return false
  if (ownPorts.includes(port) && isOfThisMachine(address)) return false
  return allowPrivate || isPublicAddress(address)
}

/** All addresses of a host name. Rejects where it has none. */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>

/** More than a name server has for one answer, so that one that is silent on AAAA does not cost the answer on A. */
const resolveMs = 2_000
const maxAnswers = 16

/**
 * The request was not sent. All denials have the same message, so that they reveal nothing about the internal network.
 */
export class OutboundDenied extends Error {
  readonly code = 'AGLET_DENIED'
  constructor() {
    super('This address is not allowed.')
    this.name = 'OutboundDenied'
  }
}

/** The host name has no address, or was not resolved in time. */
export class HostUnresolved extends Error {
  readonly code = 'AGLET_UNRESOLVED'
  constructor() {
    super('The name of the host did not resolve.')
    this.name = 'HostUnresolved'
  }
}

/** A and AAAA from the name servers themselves: no hosts file, no search list, no thread of the pool held. */
const askNameServers =
  (servers: readonly string[]): ResolveHost =>
  async (hostname, signal) => {
    const resolver = dnsResolver(servers)
    signal.addEventListener('abort', () => resolver.cancel(), { once: true })
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  }

/** Resolves as the operating system does, hosts file included: for development. */
const askSystem: ResolveHost = async (hostname) => {
  const answers = await lookup(hostname, { all: true })
  return answers.map(({ address }) => address)
}

/** `servers`: name servers of the operator's; none: the system's. */
export const systemResolve = (
  { allowPrivate }: Pick<GuardPolicy, 'allowPrivate'>,
  servers: readonly string[],
): ResolveHost => (allowPrivate && servers.length === 0 ? askSystem : askNameServers(servers))

/** `[::1]` → `::1` */
const bare = (hostname: string) => (hostname.startsWith('[') ? hostname.slice(1, -1) : hostname)

/** Names that are a loopback address without being looked up (RFC 6761). */
const isLocalhost = (host: string) => /(^|\.)localhost\.?$/i.test(host)

/** The URL when its form and, where the host is a literal, its address may be reached. Throws OutboundDenied. */
export function vetUrl(text: string, policy: GuardPolicy): URL {
  const url = URL.parse(text)
  if (!url || url.username || url.password) throw new OutboundDenied()
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && policy.allowPrivate)) throw new OutboundDenied()
  if (!policy.allowPrivate && !(url.port === '' || policy.ports.includes(Number(url.port)))) throw new OutboundDenied()
  const host = bare(url.hostname)
  const address = isLocalhost(host) ? '127.0.0.1' : host
  if (isIP(address) && !mayConnect(address, portOf(url), policy)) throw new OutboundDenied()
  return url
}

/** Rejects after `resolveMs`, even where the resolver does not. */
async function resolveInTime(hostname: string, resolve: ResolveHost): Promise<readonly string[]> {
  const limit = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      limit.abort()
      reject(new HostUnresolved())
    }, resolveMs)
  })
  try {
    return await Promise.race([resolve(hostname, limit.signal), late])
  } catch {
    throw new HostUnresolved()
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The addresses that a connection to a host may be pinned to, IPv4 first. One answer that may not be called condemns
 * the name. Throws OutboundDenied and HostUnresolved.
 */
export async function vetHost(
  endpoint: Endpoint,
  policy: GuardPolicy,
  resolve: ResolveHost,
): Promise<readonly string[]> {
  const host = bare(endpoint.hostname)
  const port = portOf(endpoint)
  const addresses = isIP(host) ? [host] : await resolveInTime(host, resolve)
  if (addresses.length === 0) throw new HostUnresolved()
  if (addresses.length > maxAnswers || !addresses.every((each) => mayConnect(each, port, policy)))
    throw new OutboundDenied()
  // a machine without IPv6 must still reach a host that has both
  return [...addresses].sort((a, b) => Number(isIPv6(a)) - Number(isIPv6(b)))
}

type Connector = buildConnector.connector
type Connected = Awaited<ReturnType<typeof connectTo>>

const connectTo = (connect: Connector, options: buildConnector.Options) =>
  new Promise<NonNullable<Parameters<buildConnector.Callback>[1]>>((resolve, reject) => {
    connect(options, (error, socket) => (socket ? resolve(socket) : reject(error)))
  })

async function connectVetted(
  options: buildConnector.Options,
  { policy, resolve, connect, connectMs }: GuardedConnectDeps,
): Promise<Connected> {
  const addresses = await vetHost(options, policy, resolve)
  // a certificate is asked for by name, never by the address that the name was pinned to
  const name = (options.servername || bare(options.hostname)).replace(/\.$/, '')
  const servername = isIP(name) ? undefined : name
  const until = performance.now() + connectMs
  let failure: unknown
  for (const hostname of addresses) {
    if (performance.now() >= until) break
    try {
      const socket = await connectTo(connect, { ...options, hostname, ...(servername && { servername }) })
      const { remoteAddress } = socket
      if (remoteAddress !== undefined && mayConnect(remoteAddress, portOf(options), policy)) return socket
      socket.destroy()
      // A socket that the other side has closed already tells no address: that is no denial.
      throw remoteAddress === undefined ? new Error('The connection was closed at once') : new OutboundDenied()
    } catch (error) {
      if (error instanceof OutboundDenied) throw error
      failure = error
    }
  }
  throw failure
}

type GuardedConnectDeps = { policy: GuardPolicy; resolve: ResolveHost; connect: Connector; connectMs: number }

/**
 * A connector for undici that checks the host for every connection and connects to the checked address. Host and SNI
 * remain the host name. A custom `lookup` is not enough: Node skips it for IP literals.
 */
export const guardedConnector =
  (deps: GuardedConnectDeps): Connector =>
  (options, callback) => {
    connectVetted(options, deps).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    )
  }
