import { lookup } from 'node:dns/promises'
import { isIP, isIPv6 } from 'node:net'
import type { buildConnector } from 'undici'
import { dnsResolver } from '#kit/dnsResolver.ts'
import { isNeverCalled, isOfThisMachine, isPublic } from './address.ts'

/** What the operator lets requests reach whose host a customer names. */
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
  return allowPrivate || isPublic(address)
}

/** All addresses of a name. Rejects where it has none. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>

/** More than a name server has for one answer, so that one that is silent on AAAA does not cost the answer on A. */
const resolveMs = 2_000
const maxAnswers = 16

/** A request that never left: every denial reads the same, so that nobody can map our network by asking. */
export class Denied extends Error {
  readonly code = 'AGLET_DENIED'
  constructor() {
    super('This address is not allowed.')
    this.name = 'Denied'
  }
}

/** A name that has no address, or none in time. */
export class Unresolved extends Error {
  readonly code = 'AGLET_UNRESOLVED'
  constructor() {
    super('The name of the host did not resolve.')
    this.name = 'Unresolved'
  }
}

/** A and AAAA from the name servers themselves: no hosts file, no search list, no thread of the pool held. */
const askNameServers =
  (servers: readonly string[]): Resolve =>
  async (hostname, signal) => {
    const resolver = dnsResolver(servers)
    signal.addEventListener('abort', () => resolver.cancel(), { once: true })
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  }

/** As every other program of this machine resolves: in development names come from a hosts file too. */
const askSystem: Resolve = async (hostname) => {
  const answers = await lookup(hostname, { all: true })
  return answers.map(({ address }) => address)
}

/** `servers`: name servers of the operator's; none: the system's. */
export const systemResolve = (
  { allowPrivate }: Pick<GuardPolicy, 'allowPrivate'>,
  servers: readonly string[],
): Resolve => (allowPrivate && servers.length === 0 ? askSystem : askNameServers(servers))

/** `[::1]` → `::1` */
const bare = (hostname: string) => (hostname.startsWith('[') ? hostname.slice(1, -1) : hostname)

/** Names that are a loopback address without being looked up (RFC 6761). */
const isLocalhost = (host: string) => /(^|\.)localhost\.?$/i.test(host)

/** The URL when its form and, where the host is a literal, its address may be reached. Throws Denied. */
export function vetUrl(text: string, policy: GuardPolicy): URL {
  const url = URL.parse(text)
  if (!url || url.username || url.password) throw new Denied()
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && policy.allowPrivate)) throw new Denied()
  if (!policy.allowPrivate && !(url.port === '' || policy.ports.includes(Number(url.port)))) throw new Denied()
  const host = bare(url.hostname)
  const address = isLocalhost(host) ? '127.0.0.1' : host
  if (isIP(address) && !mayConnect(address, portOf(url), policy)) throw new Denied()
  return url
}

/** Rejects at the limit even where the resolver does not. */
async function resolveInTime(hostname: string, resolve: Resolve): Promise<readonly string[]> {
  const limit = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      limit.abort()
      reject(new Unresolved())
    }, resolveMs)
  })
  try {
    return await Promise.race([resolve(hostname, limit.signal), late])
  } catch {
    throw new Unresolved()
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The addresses that a connection to a host may be pinned to, IPv4 first. One answer that may not be called condemns the
 * name. Throws Denied and Unresolved.
 */
export async function vetHost(endpoint: Endpoint, policy: GuardPolicy, resolve: Resolve): Promise<readonly string[]> {
  const host = bare(endpoint.hostname)
  const port = portOf(endpoint)
  const addresses = isIP(host) ? [host] : await resolveInTime(host, resolve)
  if (addresses.length === 0) throw new Unresolved()
  if (addresses.length > maxAnswers || !addresses.every((each) => mayConnect(each, port, policy))) throw new Denied()
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
  { policy, resolve, connect, connectMs }: GuardedConnect,
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
      throw remoteAddress === undefined ? new Error('The connection was closed at once') : new Denied()
    } catch (error) {
      if (error instanceof Denied) throw error
      failure = error
    }
  }
  throw failure
}

type GuardedConnect = { policy: GuardPolicy; resolve: Resolve; connect: Connector; connectMs: number }

/**
 * A connector for undici that vets the host anew for every connection and pins it to the vetted address; Host and SNI stay
 * the name. A `lookup` alone would be no guard: Node skips it for IP literals.
 */
export const guardedConnector =
  (on: GuardedConnect): Connector =>
  (options, callback) => {
    connectVetted(options, on).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    )
  }
