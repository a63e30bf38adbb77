import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'
import { createResponseParser, type ResponseHead, type ResponseParser } from './responseParser.ts'

export type HttpResponse = { status: number; headers: Record<string, string>; body: string }

/** A request to an origin. `path` begins with a slash and holds the query. */
export type HttpRequest = {
  url: URL
  method: string
  headers: Readonly<Record<string, string>>
  body: string | Buffer | null
}

/**
 * The limits of an exchange. `headersMs`: from the request until the head of the response. `totalMs`: for the whole exchange,
 * including the connection. Reading stops after `readBytes`; the first `keptBytes` are returned.
 */
export type ExchangeLimits = { headersMs: number; totalMs: number; readBytes: number; keptBytes: number }

/** No complete response came in time. */
export class ExchangeTimeout extends Error {}
/** The request cannot be written as HTTP/1.1. */
export class UnwritableRequest extends Error {
  readonly code = 'AGLET_REQUEST'
}
/** The connection ended before the response did. */
class ConnectionEnded extends Error {
  readonly code = 'AGLET_ENDED'
}

/**
 * An HTTP/1.1 client: connections are kept for the next request to their origin, one request at a time on each, no redirects.
 * A request is written once: whether the other side has processed it when its connection ends, nobody can tell.
 */
export type HttpClient = {
  /** Rejects with ExchangeTimeout, UnwritableRequest, MalformedResponse, or with an error of the connection. */
  send(request: HttpRequest, limits: ExchangeLimits): Promise<HttpResponse>
  /** Waits for the exchanges, and ends the connections. */
  close(): Promise<void>
}

/** Connections to one origin at once; further requests wait. */
const maxConnections = 256
/** How long an unused connection is kept, if the other side names no time. */
const idleMs = 4_000
const maxIdleMs = 600_000

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/
const requestPath = /^\/[\x21-\x7e]*$/
/** What the client writes itself, or does not do. */
const ownHeaders = new Set(['connection', 'transfer-encoding', 'keep-alive', 'upgrade', 'expect', 'content-length'])
const withoutBody = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS'])

function headOf({ url, method, headers, body }: HttpRequest): string {
  const path = url.pathname + url.search
  if (!token.test(method) || method === 'CONNECT' || !requestPath.test(path)) throw new UnwritableRequest()
  let head = `${method} ${path} HTTP/1.1\r\n`
  if (headers.host === undefined) head += `host: ${url.host}\r\n`
  head += 'connection: keep-alive\r\n'
  for (const name in headers) {
    const value = headers[name]!
    if (!token.test(name) || !headerValue.test(value) || ownHeaders.has(name)) throw new UnwritableRequest()
    head += `${name}: ${value}\r\n`
  }
  const length = body === null ? 0 : Buffer.byteLength(body)
  return length > 0 || !withoutBody.has(method) ? `${head}content-length: ${length}\r\n\r\n` : `${head}\r\n`
}

function write(socket: Socket, head: string, body: HttpRequest['body']): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what is no ASCII has another length in UTF-8
  if (typeof body !== 'object' && !/[^\x00-\x7f]/.test(head)) return void socket.write(head + (body ?? ''))
  socket.cork()
  socket.write(head, 'latin1')
  if (body !== null) socket.write(body)
  socket.uncork()
}

type Connection = { socket: Socket; exchange: Exchange | undefined; idleTimer?: NodeJS.Timeout | undefined }

/** One request and its response. */
type Exchange = {
  request: HttpRequest
  head: string
  limits: ExchangeLimits
  resolve(response: HttpResponse): void
  reject(error: Error): void
  parser?: ResponseParser
  timer?: NodeJS.Timeout
  connection?: Connection
  response: ResponseHead | undefined
  chunks: Buffer[]
  bytes: number
  /** When it must be over, by the clock of `performance`. */
  deadlineMs: number
  isOver: boolean
}

/** The connections to one origin, and the requests that wait for one. */
type Origin = { open: number; idle: Connection[]; waiting: Exchange[] }

function idleTimeOf({ headers }: ResponseHead): number {
  const hint = /(?:^|[ ,])timeout=(\d{1,9})(?:$|[ ,])/i.exec(headers['keep-alive'] ?? '')
  // a second less than the other side says, which may close meanwhile
  return hint ? Math.min(Number(hint[1]) * 1_000 - 1_000, maxIdleMs) : idleMs
}

export function openHttpClient(connect: buildConnector.connector): HttpClient {
  const origins = new Map<string, Origin>()
  const running = new Set<Exchange>()
  let closed: (() => void) | undefined

  const originOf = (name: string): Origin => {
    const known = origins.get(name) ?? { open: 0, idle: [], waiting: [] }
    origins.set(name, known)
    return known
  }
  function settle(exchange: Exchange): boolean {
    if (exchange.isOver) return false
    exchange.isOver = true
    clearTimeout(exchange.timer)
    running.delete(exchange)
    if (running.size === 0) closed?.()
    return true
  }
  function fail(exchange: Exchange, error: Error): void {
    if (settle(exchange)) exchange.reject(error)
    exchange.connection?.socket.destroy()
  }
  /** Ends the exchange after this time, and in any case at its deadline. */
  function limitTo(exchange: Exchange, ms: number): void {
    clearTimeout(exchange.timer)
    const leftMs = Math.max(0, exchange.deadlineMs - performance.now())
    exchange.timer = setTimeout(expire, Math.min(ms, leftMs), exchange)
  }
  const expire = (exchange: Exchange) => fail(exchange, new ExchangeTimeout())
  function succeed(exchange: Exchange): void {
    if (!settle(exchange)) return
    const { response, chunks } = exchange
    const body = chunks.length === 1 ? chunks[0]!.toString() : Buffer.concat(chunks).toString()
    exchange.resolve({ status: response!.status, headers: { ...response!.headers }, body })
  }
  /** Gives a connection its next request, or keeps it for a while. */
  function release(connection: Connection, origin: Origin, keptMs: number): void {
    connection.exchange = undefined
    const next = origin.waiting.shift()
    if (next) begin(next, connection, origin)
    else if (closed || keptMs <= 0) connection.socket.destroy()
    else {
      connection.socket.unref()
      connection.idleTimer = setTimeout(() => connection.socket.destroy(), keptMs).unref()
      origin.idle.push(connection)
    }
  }
  function begin(exchange: Exchange, connection: Connection, origin: Origin): void {
    connection.exchange = exchange
    exchange.connection = connection
    exchange.parser = createResponseParser(exchange.request.method, {
      onHead(head) {
        exchange.response = head
        limitTo(exchange, Number.POSITIVE_INFINITY)
      },
      onBody(chunk) {
        const { limits, bytes } = exchange
        if (bytes < limits.keptBytes) exchange.chunks.push(chunk.subarray(0, limits.keptBytes - bytes))
        exchange.bytes += chunk.length
        if (exchange.bytes < limits.readBytes) return
        succeed(exchange)
        connection.socket.destroy()
      },
      onEnd(mayReuse) {
        succeed(exchange)
        if (mayReuse) release(connection, origin, idleTimeOf(exchange.response!))
        else connection.socket.destroy()
      },
    })
    limitTo(exchange, exchange.limits.headersMs)
    write(connection.socket, exchange.head, exchange.request.body)
  }
  function attach(socket: Socket, origin: Origin): Connection {
    const connection: Connection = { socket, exchange: undefined }
    socket.on('data', (chunk: Buffer) => {
      const { exchange } = connection
      if (!exchange) return void socket.destroy() // bytes that nobody asked for
      try {
        exchange.parser!.take(chunk)
      } catch (error) {
        fail(exchange, error as Error)
      }
    })
    socket.on('end', () => {
      if (connection.exchange?.parser?.end() === true) return
      socket.destroy()
    })
    let why: Error | undefined
    socket.on('error', (error) => {
      why = error
    })
    socket.on('close', () => {
      clearTimeout(connection.idleTimer)
      origin.idle = origin.idle.filter((each) => each !== connection)
      origin.open--
      if (connection.exchange) fail(connection.exchange, why ?? new ConnectionEnded())
      const next = origin.waiting.shift()
      if (next) open(next, origin)
    })
    return connection
  }
  function open(exchange: Exchange, origin: Origin): void {
    const { protocol, hostname, port, host } = exchange.request.url
    origin.open++
    connect({ protocol, hostname, port, host } as buildConnector.Options, (error, socket) => {
      if (error) {
        origin.open--
        fail(exchange, error)
        const next = origin.waiting.shift()
        if (next) open(next, origin)
        return
      }
      const connection = attach(socket, origin)
      if (exchange.isOver) release(connection, origin, idleMs)
      else begin(exchange, connection, origin)
    })
  }
  function start(exchange: Exchange): void {
    const origin = originOf(exchange.request.url.origin)
    const connection = origin.idle.pop()
    if (connection) {
      clearTimeout(connection.idleTimer)
      connection.socket.ref()
      begin(exchange, connection, origin)
    } else if (origin.open < maxConnections) open(exchange, origin)
    else origin.waiting.push(exchange)
  }
  return {
    send: (request, limits) =>
      new Promise((resolve, reject) => {
        if (closed) throw new ConnectionEnded('the client is closed')
        const head = headOf(request)
        const exchange: Exchange = {
          ...{ request, head, limits, resolve, reject, response: undefined, chunks: [], bytes: 0, isOver: false },
          deadlineMs: performance.now() + limits.totalMs,
        }
        running.add(exchange)
        limitTo(exchange, Number.POSITIVE_INFINITY)
        start(exchange)
      }),
    async close() {
      await new Promise<void>((resolve) => {
        closed = resolve
        if (running.size === 0) resolve()
      })
      for (const { idle } of origins.values()) for (const { socket } of [...idle]) socket.destroy()
    },
  }
}
