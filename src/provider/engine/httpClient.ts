import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'
import { type ResponseHead, ResponseParser } from './responseParser.ts'

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

function idleTimeOf({ headers }: ResponseHead): number {
  const hint = /(?:^|[ ,])timeout=(\d{1,9})(?:$|[ ,])/i.exec(headers['keep-alive'] ?? '')
  // a second less than the other side says, which may close meanwhile
  return hint ? Math.min(Number(hint[1]) * 1_000 - 1_000, maxIdleMs) : idleMs
}

/** The exchanges of a client that are not over. */
class Exchanges {
  readonly #running = new Set<Exchange>()
  #whenNone: (() => void) | undefined

  begin(exchange: Exchange): void {
    this.#running.add(exchange)
    this.limitTo(exchange, Number.POSITIVE_INFINITY)
  }
  /** Ends the exchange after this time, and in any case at its deadline. */
  limitTo(exchange: Exchange, ms: number): void {
    clearTimeout(exchange.timer)
    const leftMs = Math.max(0, exchange.deadlineMs - performance.now())
    exchange.timer = setTimeout(() => this.fail(exchange, new ExchangeTimeout()), Math.min(ms, leftMs))
  }
  fail(exchange: Exchange, error: Error): void {
    if (this.#settle(exchange)) exchange.reject(error)
    exchange.connection?.socket.destroy()
  }
  succeed(exchange: Exchange): void {
    if (!this.#settle(exchange)) return
    const { response, chunks } = exchange
    const body = chunks.length === 1 ? chunks[0]!.toString() : Buffer.concat(chunks).toString()
    exchange.resolve({ status: response!.status, headers: { ...response!.headers }, body })
  }
  /** Resolves when none is running. */
  async ended(): Promise<void> {
    if (this.#running.size === 0) return
    await new Promise<void>((resolve) => {
      this.#whenNone = resolve
    })
  }
  #settle(exchange: Exchange): boolean {
    if (exchange.isOver) return false
    exchange.isOver = true
    clearTimeout(exchange.timer)
    this.#running.delete(exchange)
    if (this.#running.size === 0) this.#whenNone?.()
    return true
  }
}

/** The connections to one origin, and the requests that wait for one. */
class Origin {
  readonly #connect: buildConnector.connector
  readonly #exchanges: Exchanges
  readonly #waiting: Exchange[] = []
  #idle: Connection[] = []
  #open = 0
  #isClosed = false

  constructor(connect: buildConnector.connector, exchanges: Exchanges) {
    this.#connect = connect
    this.#exchanges = exchanges
  }
  start(exchange: Exchange): void {
    const connection = this.#idle.pop()
    if (connection) {
      clearTimeout(connection.idleTimer)
      connection.socket.ref()
      this.#begin(exchange, connection)
    } else if (this.#open < maxConnections) this.#openConnection(exchange)
    else this.#waiting.push(exchange)
  }
  close(): void {
    this.#isClosed = true
    for (const { socket } of [...this.#idle]) socket.destroy()
  }
  /** Gives a connection its next request, or keeps it for a while. */
  #release(connection: Connection, keptMs: number): void {
    connection.exchange = undefined
    const next = this.#waiting.shift()
    if (next) this.#begin(next, connection)
    else if (this.#isClosed || keptMs <= 0) connection.socket.destroy()
    else {
      connection.socket.unref()
      connection.idleTimer = setTimeout(() => connection.socket.destroy(), keptMs).unref()
      this.#idle.push(connection)
    }
  }
  #begin(exchange: Exchange, connection: Connection): void {
    const { limits, request } = exchange
    connection.exchange = exchange
    exchange.connection = connection
    exchange.parser = new ResponseParser(request.method, {
      onHead: (head) => {
        exchange.response = head
        this.#exchanges.limitTo(exchange, Number.POSITIVE_INFINITY)
      },
      onBody: (chunk) => {
        if (exchange.bytes < limits.keptBytes)
          exchange.chunks.push(chunk.subarray(0, limits.keptBytes - exchange.bytes))
        exchange.bytes += chunk.length
        if (exchange.bytes < limits.readBytes) return
        this.#exchanges.succeed(exchange)
        connection.socket.destroy()
      },
      onEnd: (mayReuse) => {
        this.#exchanges.succeed(exchange)
        if (mayReuse) this.#release(connection, idleTimeOf(exchange.response!))
        else connection.socket.destroy()
      },
    })
    this.#exchanges.limitTo(exchange, limits.headersMs)
    write(connection.socket, exchange.head, request.body)
  }
  #openConnection(exchange: Exchange): void {
    const { protocol, hostname, port, host } = exchange.request.url
    this.#open++
    this.#connect({ protocol, hostname, port, host } as buildConnector.Options, (error, socket) => {
      if (error) {
        this.#exchanges.fail(exchange, error)
        return this.#closed()
      }
      const connection = this.#attach(socket)
      if (exchange.isOver) this.#release(connection, idleMs)
      else this.#begin(exchange, connection)
    })
  }
  #closed(): void {
    this.#open--
    const next = this.#waiting.shift()
    if (next) this.#openConnection(next)
  }
  #attach(socket: Socket): Connection {
    const connection: Connection = { socket, exchange: undefined }
    socket.on('data', (chunk: Buffer) => this.#take(connection, chunk))
    socket.on('end', () => {
      if (connection.exchange?.parser?.end() !== true) socket.destroy()
    })
    let why: Error | undefined
    socket.on('error', (error) => {
      why = error
    })
    socket.on('close', () => {
      clearTimeout(connection.idleTimer)
      this.#idle = this.#idle.filter((each) => each !== connection)
      if (connection.exchange) this.#exchanges.fail(connection.exchange, why ?? new ConnectionEnded())
      this.#closed()
    })
    return connection
  }
  #take({ socket, exchange }: Connection, chunk: Buffer): void {
    if (!exchange) return void socket.destroy() // bytes that nobody asked for
    try {
      exchange.parser!.take(chunk)
    } catch (error) {
      this.#exchanges.fail(exchange, error as Error)
    }
  }
}

export function openHttpClient(connect: buildConnector.connector): HttpClient {
  const origins = new Map<string, Origin>()
  const exchanges = new Exchanges()
  let isClosed = false

  function originOf({ origin }: URL): Origin {
    const known = origins.get(origin) ?? new Origin(connect, exchanges)
    origins.set(origin, known)
    return known
  }
  return {
    send: (request, limits) =>
      new Promise((resolve, reject) => {
        if (isClosed) throw new ConnectionEnded('the client is closed')
        const head = headOf(request)
        const exchange: Exchange = {
          ...{ request, head, limits, resolve, reject, response: undefined, chunks: [], bytes: 0, isOver: false },
          deadlineMs: performance.now() + limits.totalMs,
        }
        exchanges.begin(exchange)
        originOf(request.url).start(exchange)
      }),
    async close() {
      isClosed = true
      await exchanges.ended()
      for (const origin of origins.values()) origin.close()
    },
  }
}
