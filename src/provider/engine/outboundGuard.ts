import { lookup, Resolver } from 'node:dns/promises'
import { isIP, isIPv6 } from 'node:net'
import type { buildConnector } from 'undici'
import { isPublicAddress } from './publicAddress.ts'

/** What the operator allows for requests to a host that a customer sets. */
export type GuardPolicy = {
  /** Development: private addresses, http and any port. */
  allowPrivate: boolean
  /** Ports besides 443. */
  ports: readonly number[]
}

/** All addresses of a host name. Rejects where it has none. */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>

const resolveMs = 2_000
/** Shorter than `resolveMs`, so that the A records are used where the AAAA query gets no answer. */
const answerMs = 1_500
const maxAnswers = 16

/** The request was not sent. All denials have the same message, so that they reveal nothing about the internal network. */
export class OutboundDenied extends Error {
  readonly code = 'AGLET_DENIED'
  constructor() {
    super('This address is not allowed.')
    this.name = 'Denied'
  }
}

/** The host name has no address, or was not resolved in time. */
export class HostUnresolved extends Error {
  readonly code = 'AGLET_UNRESOLVED'
  constructor() {
    super('The name of the host did not resolve.')
    this.name = 'Unresolved'
  }
}

/** Queries A and AAAA at the name server: without hosts file and search list, and without blocking a thread of the pool. */
const askNameServer: ResolveHost = async (hostname, signal) => {
  const resolver = new Resolver({ timeout: answerMs, tries: 1 })
  signal.addEventListener('abort', () => resolver.cancel(), { once: true })
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}

/** Resolves as the operating system does, hosts file included: for development. */
const askSystem: ResolveHost = async (hostname) => {
  const answers = await lookup(hostname, { all: true })
  return answers.map(({ address }) => address)
}

export const systemResolve = ({ allowPrivate }: GuardPolicy): ResolveHost => (allowPrivate ? askSystem : askNameServer)

/** `[::1]` → `::1` */
const bare = (hostname: string) => (hostname.startsWith('[') ? hostname.slice(1, -1) : hostname)

/** Checks the scheme, port and, for an IP literal, the address of a URL. Throws OutboundDenied. */
export function vetUrl(text: string, policy: GuardPolicy): URL {
  const url = URL.parse(text)
  if (!url || url.username || url.password) throw new OutboundDenied()
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && policy.allowPrivate)) throw new OutboundDenied()
  if (policy.allowPrivate) return url
  if (!(url.port === '' || policy.ports.includes(Number(url.port)))) throw new OutboundDenied()
  const host = bare(url.hostname)
  if (isIP(host) && !isPublicAddress(host)) throw new OutboundDenied()
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
 * The addresses that a connection to a host may use, IPv4 first. One address that is not public denies the whole name.
 * Throws OutboundDenied and HostUnresolved.
 */
export async function vetHost(hostname: string, policy: GuardPolicy, resolve: ResolveHost): Promise<readonly string[]> {
  const host = bare(hostname)
  const addresses = isIP(host) ? [host] : await resolveInTime(host, resolve)
  if (addresses.length === 0) throw new HostUnresolved()
  if (policy.allowPrivate) return addresses
  if (addresses.length > maxAnswers || !addresses.every(isPublicAddress)) throw new OutboundDenied()
  // IPv4 first: a machine without IPv6 must reach hosts with both
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
  const addresses = await vetHost(options.hostname, policy, resolve)
  // SNI and the certificate use the host name, never the pinned address
  const name = (options.servername || bare(options.hostname)).replace(/\.$/, '')
  const servername = isIP(name) ? undefined : name
  const until = performance.now() + connectMs
  let failure: unknown
  for (const hostname of addresses) {
    if (performance.now() >= until) break
    try {
      const socket = await connectTo(connect, { ...options, hostname, ...(servername && { servername }) })
      if (policy.allowPrivate || (socket.remoteAddress && isPublicAddress(socket.remoteAddress))) return socket
      socket.destroy()
      throw new OutboundDenied()
    } catch (error) {
      if (error instanceof OutboundDenied) throw error
      failure = error
    }
  }
  throw failure
}

type GuardedConnectDeps = { policy: GuardPolicy; resolve: ResolveHost; connect: Connector; connectMs: number }

/**
 * A connector for undici that checks the host for every connection and connects to the checked address. Host and SNI remain
 * the host name. A custom `lookup` is not enough: Node skips it for IP literals.
 */
export const guardedConnector =
  (deps: GuardedConnectDeps): Connector =>
  (options, callback) => {
    connectVetted(options, deps).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    )
  }
