import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { buildConnector } from 'undici'
import type { HostKind } from '#provider/form/hostKind.ts'
import { type ExchangeLimits, ExchangeTimeout, HttpClient } from './httpClient.ts'
import type { HttpResponse } from './httpResponse.ts'
import { guardedConnector, type ResolveHost, systemResolve, vetUrl } from './outboundGuard.ts'
import { cachedUrls } from './parsedUrls.ts'
import { hopHeader, type WireRequest } from './wireRequest.ts'

/**
 * The response, with a body of at most 64 KiB, or the reason why there is none. `denied`: the outbound guard refused
 * the address. `killed`: the customer's code was terminated. `tooLarge`: the event exceeds the size limit for customer
 * code. `codeLog`: what the customer's code logged.
 */
export type SendResult = { durationMs: number; codeLog?: string } & (
  | HttpResponse
  | { failed: 'denied' | 'resolve' | 'connect' | 'timeout' | 'broken' | 'killed' | 'tooLarge'; message: string }
)

export type SendRequest = (request: WireRequest, host: HostKind) => Promise<SendResult>

export type SendOptions = {
  /** Development: customers may set private addresses, http and any port. */
  allowPrivate: boolean
  /** Ports besides 443 that customers may set. */
  outboundPorts: readonly number[]
  /** Ports on which this server listens. */
  ownPorts?: readonly number[]
  /** Development: requests to vendors go to this URL, with their path and query. */
  vendorsUrl?: string
  /** URLs that the guard allows unchecked: the demo inbox, while the server is bound to loopback. */
  exactAllowed?: readonly string[]
  /** Name servers to ask instead of the system's. */
  dnsServers?: readonly string[]
  resolve?: ResolveHost
  /** Dials a vetted address. */
  connect?: buildConnector.connector
  limits?: Partial<SendLimits>
}
type SendLimits = ExchangeLimits & { connectMs: number }

const usualLimits: SendLimits = {
  connectMs: 3_000,
  headersMs: 10_000,
  totalMs: 15_000,
  readBytes: 1024 * 1024,
  keptBytes: 64 * 1024,
}

/**
 * Loads undici's connector from its own file, because the whole package takes 6 MB and 0.1 s. If a later version of undici
 * moves that file, the whole package is loaded.
 */
function loadConnector(): typeof buildConnector {
  const load = createRequire(import.meta.url)
  try {
    return load('undici/lib/core/connect.js')
  } catch {
    return load('undici').buildConnector
  }
}
const connectorOf = loadConnector()

/** The final URL and headers of a request, and the client that sends it. */
type Route = { url: URL; headers: Record<string, string>; client: HttpClient }

function routes(options: SendOptions, limits: SendLimits) {
  const { allowPrivate, outboundPorts: ports, ownPorts = [] } = options
  const policy = { allowPrivate, ports, ownPorts }
  const connect = options.connect ?? connectorOf({ timeout: limits.connectMs, allowH2: false })
  const resolve = options.resolve ?? systemResolve(policy, options.dnsServers ?? [])
  const open = new HttpClient(connect, limits)
  const parse = cachedUrls((text) => new URL(text))
  const vet = cachedUrls((text) => vetUrl(text, policy))
  const guarded = new HttpClient(guardedConnector({ policy, resolve, connect, connectMs: limits.connectMs }), limits)

  function route({ url, headers: own }: WireRequest, host: HostKind): Route {
    const headers: Route['headers'] = { 'user-agent': 'Aglet', ...own }
    if (host !== 'customer' && options.vendorsUrl)
      return { ...toVendors(url, headers, options.vendorsUrl), client: open }
    if (host === 'fixed') return { url: parse(url), headers, client: open }
    if (host !== 'label') headers[hopHeader] = '1'
    if (host === 'customer' && options.exactAllowed?.includes(url)) return { url: parse(url), headers, client: open }
    return { url: vet(url), headers, client: guarded }
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

const unresolved = new Set(['AGLET_UNRESOLVED', 'ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'ENODATA'])
const unconnected =
  /^(?:(?:UND_ERR_CONNECT_TIMEOUT|ECONNREFUSED|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ETIMEDOUT|EADDRNOTAVAIL|EPROTO)$|ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_)|_CERT/

type Failure = Pick<Extract<SendResult, { failed: string }>, 'failed' | 'message'>

/** Runs in the thread pool: a body can have megabytes. */
const compress = promisify(gzip)

/** A fixed message: the text of an error can contain an address or a part of the request. */
function failureOf(error: unknown): Failure {
  const code = String((error as { code?: unknown }).code ?? '')
  if (code === 'AGLET_DENIED') return { failed: 'denied', message: 'This address is not allowed.' }
  if (unresolved.has(code)) return { failed: 'resolve', message: 'The host name did not resolve.' }
  if (error instanceof ExchangeTimeout) return { failed: 'timeout', message: 'No response in time.' }
  if (unconnected.test(code)) return { failed: 'connect', message: `The connection failed (${code}).` }
  return { failed: 'broken', message: `The connection was lost${code && ` (${code})`}.` }
}

export type Sender = SendRequest & { close(): Promise<void> }

/** Sends requests: one connection pool per origin, no redirects. Network errors are results and do not throw. */
export function openSender(options: SendOptions): Sender {
  const limits = { ...usualLimits, ...options.limits }
  const { route, close } = routes(options, limits)

  function send(request: WireRequest, host: HostKind): Promise<SendResult> {
    const startedAt = performance.now()
    const durationMs = () => Math.round(performance.now() - startedAt)
    const succeed = (response: HttpResponse) => Object.assign(response, { durationMs: durationMs() })
    const fail = (error: unknown) => ({ ...failureOf(error), durationMs: durationMs() })
    try {
      const { method, body, gzip } = request
      const { url, headers, client } = route(request, host)
      const exchange = (bytes: Buffer | string | undefined) => client.exchange({ url, method, headers, body: bytes })
      const exchanging = gzip && body !== undefined ? compress(body).then(exchange) : exchange(body)
      return exchanging.then(succeed, fail)
    } catch (error) {
      return Promise.resolve(fail(error))
    }
  }
  return Object.assign(send, { close: async () => void (await close()) })
}
