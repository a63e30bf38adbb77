import { lookup } from 'node:dns/promises'
import { isIP, isIPv6 } from 'node:net'
import type { buildConnector } from 'undici'
import { dnsResolver } from '#kit/dnsResolver.ts'
import { isNeverCalled, isOfThisMachine, isPublicAddress } from './publicAddress.ts'

/** The operator's policy for requests to hosts that customers set. */
export type GuardPolicy = {
  /** Development: private addresses, http and any port. */
  allowPrivate: boolean
  /** Ports besides 443. */
  ports: readonly number[]
  /** Ports on which this server listens. No setting opens them. */
  ownPorts: readonly number[]
}

/** The host and port of a URL or a connection. An empty port is the protocol's default port. */
type Endpoint = { hostname: string; protocol: string; port: string }

const portOf = ({ protocol, port }: Endpoint): number => Number(port) || (protocol === 'https:' ? 443 : 80)

/** Whether a connection for a customer may use this address and port. */
function mayConnect(address: string, port: number, { allowPrivate, ownPorts }: GuardPolicy): boolean {
  if (isNeverCalled(address)) return false
  if (ownPorts.includes(port) && isOfThisMachine(address)) return false
  return allowPrivate || isPublicAddress(address)
}

/** All addresses of a host name. Rejects if there are none. */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>

/** Longer than the resolver's timeout for one query: an unanswered AAAA query must not discard the A answer. */
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

/** The host name has no address, or the lookup timed out. */
export class HostUnresolved extends Error {
  readonly code = 'AGLET_UNRESOLVED'
  constructor() {
    super('The host name did not resolve.')
    this.name = 'HostUnresolved'
  }
}

/**
 * A and AAAA records, asked directly from name servers: no hosts file, no search list, and no thread of the pool is
 * blocked.
 */
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

/** `servers`: the operator's name servers. If empty, the system's are used. */
export const systemResolve = (
  { allowPrivate }: Pick<GuardPolicy, 'allowPrivate'>,
  servers: readonly string[],
): ResolveHost => (allowPrivate && servers.length === 0 ? askSystem : askNameServers(servers))

/** `[::1]` → `::1` */
const bare = (hostname: string) => (hostname.startsWith('[') ? hostname.slice(1, -1) : hostname)

/** Names that mean a loopback address without a lookup (RFC 6761). */
const isLocalhost = (host: string) => /(^|\.)localhost\.?$/i.test(host)

/** Parses a URL and checks its form and, if the host is an IP literal, its address. Throws OutboundDenied. */
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

/** Rejects after `resolveMs`, even if the resolver never answers. */
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
 * The addresses to which a connection to this host may be pinned, IPv4 first. One forbidden address denies the whole
 * name. Throws OutboundDenied and HostUnresolved.
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
  // IPv4 first: a machine without IPv6 must still reach a host that has both.
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
  // The certificate is checked against the host name, never against the pinned address.
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
      // A socket that the other side already closed has no remote address. That is not a denial.
      throw remoteAddress === undefined ? new Error('The connection was closed immediately') : new OutboundDenied()
    } catch (error) {
      if (error instanceof OutboundDenied) throw error
      failure = error
    }
  }
  throw failure
}

type GuardedConnectDeps = { policy: GuardPolicy; resolve: ResolveHost; connect: Connector; connectMs: number }

/**
 * A connector for undici that checks the host for every connection and connects to the checked address. Host header and
 * SNI keep the host name. A custom `lookup` is not enough: Node skips it for IP literals.
 */
export const guardedConnector =
  (deps: GuardedConnectDeps): Connector =>
  (options, callback) => {
    connectVetted(options, deps).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    )
  }
