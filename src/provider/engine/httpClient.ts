import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'
import { createDelayQueue } from '#kit/delayQueue.ts'
import { type HttpResponse, MalformedResponse, ResponseReader } from './httpResponse.ts'
import { type OutgoingRequest, requestBytes } from './requestBytes.ts'

/**
 * The limits of an exchange. `headersMs`: from the request until the head of its response. `totalMs`: for the whole
 * exchange, including the connection. Reading stops after `readBytes`; the first `keptBytes` are returned. The
 * connector has its own timeout.
 */
export type ExchangeLimits = { headersMs: number; totalMs: number; readBytes: number; keptBytes: number }

/** The whole response did not arrive in time. */
export class ExchangeTimeout extends Error {}

type Exchange = {
  pool: Pool
  method: string
  bytes: Buffer
  startedAt: number
  sentAt: number
  connection: Connection | undefined
  /** Whether a connection was opened, or is being opened, for this exchange. */
  isDialed: boolean
  resolve(response: HttpResponse): void
  reject(why: unknown): void
}
type Connection = {
  socket: Socket
  reader: ResponseReader | undefined
  exchange: Exchange | undefined
  idleUntil: number
}
/** `keepMs`: how long the connection stays open if no exchange uses it. */
type Resting = { connection: Connection; pool: Pool; keepMs: number }
type Pool = { url: URL; open: number; idle: Connection[]; waiting: Set<Exchange> }

const maxConnections = 256
/** A connection rests this long after a response: most vendors that close without `Connection: close` do so meanwhile. */
const restMs = 5
/** How long an unused connection stays open, unless the vendor sets a time. */
const idleMs = 4_000
const maxIdleMs = 60_000
/**
 * Idle connections are closed this long before the vendor closes them, so that no request is sent into a closing
 * connection.
 */
const closeEarlyMs = 2_000

const hostOf = ({ hostname }: URL) => (hostname.startsWith('[') ? hostname.slice(1, -1) : hostname)

function keepMs({ headers }: HttpResponse): number {
  const hint = /(?:^|[,; ])timeout=(\d{1,6})(?:$|[,; ])/i.exec(headers['keep-alive'] ?? '')?.[1]
  return hint === undefined ? idleMs : Math.min(Number(hint) * 1_000 - closeEarlyMs, maxIdleMs)
}

/**
 * An HTTP/1.1 client for short exchanges: one connection pool for each origin, one request at a time on each
 * connection. No request is sent twice: if a connection ends before the response, the vendor may have acted on the
 * request.
 */
export class HttpClient {
  readonly #connect: buildConnector.connector
  readonly #limits: ExchangeLimits
  readonly #tickMs: number
  readonly #pools = new Map<string, Pool>()
  readonly #inFlight = new Set<Exchange>()
  readonly #rest = createDelayQueue<Resting>(restMs, (each) => this.#rested(each))
  readonly #settled = Promise.withResolvers<void>()
  #ticker: NodeJS.Timeout | undefined
  #isClosed = false

  /** `connect` has its own timeout. */
  constructor(connect: buildConnector.connector, limits: ExchangeLimits) {
    this.#connect = connect
    this.#limits = limits
    this.#tickMs = Math.max(5, Math.min(250, limits.headersMs / 10, limits.totalMs / 10))
  }

  /** Rejects with ExchangeTimeout, MalformedResponse, UnwritableRequest and errors of the connector and the socket. */
  exchange(request: OutgoingRequest): Promise<HttpResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>()
    try {
      if (this.#isClosed) throw new Error('The client is closed.')
      this.#begin({
        bytes: requestBytes(request),
        method: request.method,
        pool: this.#poolOf(request.url),
        startedAt: performance.now(),
        sentAt: 0,
        connection: undefined,
        isDialed: false,
        resolve,
        reject,
      })
    } catch (error) {
      reject(error)
    }
    return promise
  }

  /** Rejects later requests, waits for those in flight, and closes all connections. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#inFlight.size > 0) await this.#settled.promise
    for (const { idle } of this.#pools.values()) for (const each of [...idle]) each.socket.destroy()
    clearInterval(this.#ticker)
    this.#ticker = undefined
  }

  #poolOf(url: URL): Pool {
    const { origin } = url
    let pool = this.#pools.get(origin)
    if (!pool) {
      pool = { url, open: 0, idle: [], waiting: new Set() }
      this.#pools.set(origin, pool)
    }
    return pool
  }

  #begin(exchange: Exchange): void {
    const { pool } = exchange
    this.#inFlight.add(exchange)
    if (this.#inFlight.size === 1) this.#watch()
    const connection = pool.idle.pop()
    if (connection) this.#start(connection, exchange)
    else {
      pool.waiting.add(exchange)
      if (pool.open < maxConnections) this.#dial(exchange)
    }
  }

  /** One timer for all exchanges and idle connections. Only exchanges keep the process alive. */
  #watch(): void {
    this.#ticker ??= setInterval(() => this.#tick(), this.#tickMs)
    if (this.#inFlight.size > 0) this.#ticker.ref()
    else this.#ticker.unref()
  }

  #tick(): void {
    const { totalMs, headersMs } = this.#limits
    const now = performance.now()
    for (const each of this.#inFlight) {
      const reader = each.connection?.reader
      const isLate = reader && !reader.hasHead && now - each.sentAt >= headersMs
      if (isLate || now - each.startedAt >= totalMs) this.#fail(each, new ExchangeTimeout())
    }
    for (const { idle } of this.#pools.values())
      for (const each of [...idle]) if (each.idleUntil <= now) each.socket.destroy()
    if (this.#inFlight.size > 0 || this.#pools.size > 0) return
    clearInterval(this.#ticker)
    this.#ticker = undefined
  }

  /** Removes a finished exchange. False if it was removed before. */
  #finish(exchange: Exchange): boolean {
    if (!this.#inFlight.delete(exchange)) return false
    exchange.pool.waiting.delete(exchange)
    if (this.#inFlight.size > 0) return true
    this.#watch()
    if (this.#isClosed) this.#settled.resolve()
    return true
  }

  #fail(exchange: Exchange, why: unknown): void {
    const { connection } = exchange
    if (!this.#finish(exchange)) return
    exchange.reject(why)
    if (!connection) return
    connection.exchange = undefined
    connection.socket.destroy()
  }

  #succeed(connection: Connection, exchange: Exchange, reader: ResponseReader): void {
    const { socket } = connection
    const response = reader.response()
    connection.exchange = undefined
    this.#finish(exchange)
    exchange.resolve(response)
    const keep = keepMs(response)
    // After an early response, the unwritten rest of the request would precede the next request on this connection.
    const mayReuse = reader.isDone && reader.mayReuse && socket.writableLength === 0 && keep > 0
    if (!mayReuse) {
      socket.destroy()
      return
    }
    this.#rest({ connection, pool: exchange.pool, keepMs: keep })
  }

  #rested({ connection, pool, keepMs }: Resting): void {
    if (this.#isClosed && this.#inFlight.size === 0) connection.socket.destroy()
    else if (!connection.socket.destroyed) this.#release(connection, pool, keepMs)
  }

  /** Gives a connection to the exchange that has waited longest. Without one, the connection becomes idle. */
  #release(connection: Connection, pool: Pool, keep: number): void {
    for (const next of pool.waiting) {
      this.#start(connection, next)
      return
    }
    connection.idleUntil = performance.now() + keep
    pool.idle.push(connection)
  }

  #start(connection: Connection, exchange: Exchange): void {
    const { pool, method, bytes } = exchange
    pool.waiting.delete(exchange)
    exchange.connection = connection
    exchange.sentAt = performance.now()
    connection.exchange = exchange
    connection.reader = new ResponseReader(method, this.#limits.keptBytes)
    connection.socket.write(bytes)
  }

  #read(connection: Connection, bytes: Buffer): void {
    const { exchange, reader, socket } = connection
    if (!exchange || !reader) {
      socket.destroy() // no request is waiting for these bytes
      return
    }
    try {
      reader.take(bytes)
      if (reader.isDone || reader.readBytes >= this.#limits.readBytes) this.#succeed(connection, exchange, reader)
    } catch (error) {
      this.#fail(exchange, error)
    }
  }

  /** The other side closed the connection, or the connection failed with `why`. */
  #ended(connection: Connection, why?: Error): void {
    const { exchange, reader, socket } = connection
    socket.destroy()
    if (!exchange || !reader) return
    try {
      if (why) throw why
      reader.end()
      this.#succeed(connection, exchange, reader)
    } catch (error) {
      this.#fail(exchange, error)
    }
  }

  #adopt(socket: Socket, pool: Pool): Connection {
    const connection: Connection = { socket, reader: undefined, exchange: undefined, idleUntil: 0 }
    let failure: Error | undefined
    socket.setNoDelay(true)
    socket.unref() // the timer of the exchanges keeps the process alive
    socket.on('data', (bytes: Buffer) => this.#read(connection, bytes))
    socket.on('error', (error) => {
      failure = error
    })
    socket.on('end', () => this.#ended(connection))
    socket.on('close', () => {
      this.#ended(connection, failure ?? new MalformedResponse('CLOSED_EARLY'))
      const at = pool.idle.indexOf(connection)
      if (at >= 0) pool.idle.splice(at, 1)
      this.#gone(pool)
    })
    return connection
  }

  #dial(exchange: Exchange): void {
    const { pool } = exchange
    const { url } = pool
    pool.open++
    exchange.isDialed = true
    const { host, protocol, port } = url
    this.#connect({ hostname: hostOf(url), host, protocol, port }, (error, socket) => {
      if (!socket || socket.destroyed) {
        if (pool.waiting.has(exchange)) this.#fail(exchange, error ?? new MalformedResponse('CLOSED_EARLY'))
        this.#gone(pool)
        return
      }
      const connection = this.#adopt(socket, pool)
      if (pool.waiting.has(exchange)) this.#start(connection, exchange)
      else if (this.#isClosed && this.#inFlight.size === 0) socket.destroy()
      else this.#release(connection, pool, idleMs)
    })
  }

  /** Called after a connection of the pool has ended or could not be opened. */
  #gone(pool: Pool): void {
    pool.open--
    for (const each of pool.waiting) {
      if (each.isDialed) continue
      this.#dial(each)
      break
    }
    if (pool.open === 0 && pool.waiting.size === 0) this.#pools.delete(pool.url.origin)
  }
}
