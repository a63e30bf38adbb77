import { Agent, buildConnector, type Dispatcher } from 'undici'
import { isGeneric } from '#contract/providerIds.ts'
import { type AskLimits, ask, type Came, TookTooLong } from './ask.ts'
import { guardedConnector, type Resolve, systemResolve, vetUrl } from './guard.ts'
import type { Provider } from './provider.ts'

/** A request as it goes over the wire: lower-case header names, the body as text. */
export type WireRequest = { method: string; url: string; headers: Record<string, string>; body?: string }

/**
 * What came back; or that nothing did, and why. `denied`: the outbound guard refused the address. `spoilt`: a customer's
 * code did not come to an end by itself. `tooLarge`: the event is more than a customer's code is given. `body` is at most
 * 64 KiB of text. `said`: what a customer's code logged.
 */
export type Answer = { durationMs: number; said?: string } & (
  | Came
  | { failed: 'denied' | 'resolve' | 'connect' | 'timeout' | 'broken' | 'spoilt' | 'tooLarge'; message: string }
)

/**
 * Who names the host, which decides whether the outbound guard looks at the address. `customer` is a door of the customer's
 * own and is always called; `tenant` is a vendor's, at the host that the customer has there.
 */
export type Reach = Provider['host'] | 'tenant'
export type SendRequest = (request: WireRequest, reach: Reach) => Promise<Answer>

/** How a provider is reached: of those whose host the customer names, only the generic ones are the customer's own. */
export const reachOf = (providerId: string, { host }: Pick<Provider, 'host'>): Reach =>
  host === 'customer' && !isGeneric(providerId) ? 'tenant' : host

export type SendOptions = {
  /** Development: customers may name private addresses, http and any port. */
  allowPrivate: boolean
  /** Ports besides 443 that customers may name. */
  outboundPorts: readonly number[]
  /** Ports on which this server listens. */
  ownPorts?: readonly number[]
  /** Development: what goes to a catalogue provider goes here, with its path and query. */
  vendorsUrl?: string
  /** Addresses that pass the guard as they are: the demo inbox, while the server is bound to loopback. */
  exactAllowed?: readonly string[]
  /** Name servers to ask instead of the system's. */
  dnsServers?: readonly string[]
  resolve?: Resolve
  /** Dials a vetted address. */
  connect?: buildConnector.connector
  limits?: Partial<Limits>
}
export type Limits = AskLimits & { connectMs: number; headersMs: number }

const usualLimits: Limits = {
  connectMs: 3_000,
  headersMs: 10_000,
  totalMs: 15_000,
  readBytes: 1024 * 1024,
  keptBytes: 64 * 1024,
}

/** On every request to a host that a customer names: our own doors refuse what bears it, so no loop can grow. */
export const hopHeader = 'x-aglet-hop'

/** Where a request really goes, and through which agent. */
type Route = { url: URL; headers: Record<string, string>; agent: Agent }

function routes(options: SendOptions, limits: Limits) {
  const { allowPrivate, outboundPorts: ports, ownPorts = [] } = options
  const policy = { allowPrivate, ports, ownPorts }
  const connect = options.connect ?? buildConnector({ timeout: limits.connectMs, allowH2: false })
  const resolve = options.resolve ?? systemResolve(policy, options.dnsServers ?? [])
  const common = { connections: 256, pipelining: 1, headersTimeout: limits.headersMs, bodyTimeout: limits.totalMs }
  const open = new Agent({ ...common, connect })
  const guarded = new Agent({
    ...common,
    connect: guardedConnector({ policy, resolve, connect, connectMs: limits.connectMs }),
  })

  function route({ url, headers }: WireRequest, reach: Reach): Route {
    if (reach !== 'customer' && options.vendorsUrl)
      return { ...toVendors(url, headers, options.vendorsUrl), agent: open }
    if (reach === 'fixed') return { url: new URL(url), headers, agent: open }
    const marked = reach === 'label' ? headers : { ...headers, [hopHeader]: '1' }
    if (reach === 'customer' && options.exactAllowed?.includes(url))
      return { url: new URL(url), headers: marked, agent: open }
    return { url: vetUrl(url, policy), headers: marked, agent: guarded }
  }
  return { route, close: () => Promise.all([open.close(), guarded.close()]) }
}

function toVendors(url: string, headers: Record<string, string>, vendorsUrl: string) {
  const { host, pathname, search } = new URL(url)
  const base = new URL(vendorsUrl)
  return {
    url: new URL(`${base.origin}${base.pathname.replace(/\/$/, '')}${pathname}${search}`),
    headers: { ...headers, 'x-aglet-host': host },
  }
}

const timeouts = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_ABORTED'])
const unresolved = new Set(['AGLET_UNRESOLVED', 'ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'ENODATA'])
const unconnected =
  /^(UND_ERR_CONNECT_TIMEOUT|ECONNREFUSED|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ETIMEDOUT|EADDRNOTAVAIL|ERR_TLS_.*|ERR_SSL_.*|EPROTO|CERT_.*|.*_CERT.*|UNABLE_TO_.*)$/

type Failure = Pick<Extract<Answer, { failed: string }>, 'failed' | 'message'>

/** What went wrong in words of our own: an error's own text may hold an address or a part of the request. */
function failureOf(error: unknown): Failure {
  const code = String((error as { code?: unknown }).code ?? '')
  if (code === 'AGLET_DENIED') return { failed: 'denied', message: 'This address is not allowed.' }
  if (unresolved.has(code)) return { failed: 'resolve', message: 'The name of the host did not resolve.' }
  if (error instanceof TookTooLong || timeouts.has(code))
    return { failed: 'timeout', message: 'No answer came in time.' }
  if (unconnected.test(code)) return { failed: 'connect', message: `The connection was not made (${code}).` }
  return { failed: 'broken', message: `The exchange broke off${code && ` (${code})`}.` }
}

export type Sender = SendRequest & { close(): Promise<void> }

/** Sends requests: one pool of connections per origin, no redirects, never throws for what the other side does. */
export function makeSend(options: SendOptions): Sender {
  const limits = { ...usualLimits, ...options.limits }
  const { route, close } = routes(options, limits)

  async function send(request: WireRequest, reach: Reach): Promise<Answer> {
    const begun = performance.now()
    const durationMs = () => Math.round(performance.now() - begun)
    try {
      const { url, headers, agent } = route(request, reach)
      const options = {
        origin: url.origin,
        path: url.pathname + url.search,
        method: request.method as Dispatcher.HttpMethod,
        headers: { 'user-agent': 'Aglet', ...headers },
        body: request.body ?? null,
      }
      return { ...(await ask(agent, options, limits)), durationMs: durationMs() }
    } catch (error) {
      return { ...failureOf(error), durationMs: durationMs() }
    }
  }
  return Object.assign(send, { close: async () => void (await close()) })
}
