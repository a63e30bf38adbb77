import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import { type AddressInfo, Server as NetServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { errorObject, type Fault, fault } from '#contract/fault.ts'

/** The maximum number of header lines. */
const maxHeaders = 64

/** `uri-host [":" port]` of RFC 9110 §7.2. A name (RFC 3986) is not percent-decoded, so that it is unambiguous. */
const hostValue = /^(?:\[[0-9A-Fa-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d{0,5})?$/

/** The absolute form of a target (RFC 9112 §3.2.2): the authority, and the path with the query. */
const absoluteForm = /^https?:\/\/([^/?#]+)((?:[/?][^#]*)?)$/i

const broken = (message: string) => fault('httpBroken', { message, headers: { connection: 'close' } })

/**
 * The fault of a request whose head the parser accepts although it violates RFC 9112. A target in absolute form is
 * replaced by its path, and the header Host by its authority (§3.2.2).
 */
function checkHead(request: IncomingMessage): Fault | undefined {
  const { rawHeaders, headers, httpVersion } = request
  if (rawHeaders.length > maxHeaders * 2) return fault('headersTooLarge', { headers: { connection: 'close' } })
  if (headers.host === undefined ? httpVersion === '1.1' : hasTwoHosts(rawHeaders))
    return broken('Send exactly one Host header.')
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return fault('transferCodingUnknown', { headers: { connection: 'close' } })
  return adoptTarget(request) ? undefined : broken('The target of the request or its Host header is not valid.')
}

/**
 * node:http uses the first Host header, a proxy may use the second. Access depends on the host, so both are refused.
 */
const hasTwoHosts = (rawHeaders: readonly string[]) =>
  rawHeaders.filter((name, at) => at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host').length > 1

/** Normalizes the target and host; false if one of them is invalid. */
function adoptTarget(request: IncomingMessage): boolean {
  const { url = '', method, headers } = request
  if (url === '*') return method === 'OPTIONS'
  if (!url.startsWith('/')) {
    const [, authority, path = ''] = absoluteForm.exec(url) ?? []
    if (authority === undefined) return false
    headers.host = authority
    request.url = path.startsWith('/') ? path : `/${path}`
  }
  return headers.host === undefined || hostValue.test(headers.host)
}

/** Handles one request. It is replaced while the server runs, because the server listens before the stores are open. */
export type AnswerRequest = (request: IncomingMessage, response: ServerResponse) => void

/** Sends an Error object for a request that reaches no route. */
export function sendFault(response: ServerResponse, problem: Fault): void {
  const body = JSON.stringify(errorObject(problem))
  response.writeHead(problem.status, {
    ...problem.headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

function clientErrorFault(code: string | undefined): Fault {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return fault('requestTimeout')
  return fault(code === 'HPE_HEADER_OVERFLOW' ? 'headersTooLarge' : 'httpBroken')
}

/** The answer to `OPTIONS *`, which asks about the server and not about a resource (RFC 9110 §9.3.7). */
function answerServerOptions(response: ServerResponse): void {
  response.writeHead(204, { allow: 'GET, HEAD, POST, PUT, DELETE, OPTIONS' }).end()
}

/**
 * A request that the parser refused has no response object, so the response is written to the socket, which then
 * closes.
 */
function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const problem = clientErrorFault(error.code)
  const body = JSON.stringify(errorObject(problem))
  const head = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\ncontent-type: application/json; charset=utf-8`
  socket.end(`${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`)
}

function listenError(problem: NodeJS.ErrnoException, host: string, port: number): Error {
  if (problem.code === 'EADDRINUSE')
    return new Error(
      `Port ${port} on ${host} is in use. Stop the process that listens there, or choose another port with --port.`,
    )
  if (problem.code === 'EACCES')
    return new Error(`Port ${port} is not allowed for this user. Choose a port above 1023 with --port.`)
  return new Error(`Aglet cannot listen on ${host}, port ${port} (${problem.code}). Choose another --host or --port.`)
}

function listenOn(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const refuse = (problem: NodeJS.ErrnoException) => reject(listenError(problem, host, port))
    server.once('error', refuse)
    server.listen({ host: host.replace(/^\[|\]$/g, ''), port, backlog: 1_024 }, () => {
      server.off('error', refuse)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

/**
 * Idle connections stay open this long after the last request on any connection, so that a request that was already sent
 * is answered with `Connection: close`.
 */
const lingerMs = 1_000
const maxLingerMs = 5_000

/**
 * Whether connections may be waiting to be accepted. libuv accepts one connection per turn of the event loop, and
 * closing the listener resets waiting ones. So it is closed after a turn without a new connection.
 */
function trackArrivals(server: Server): () => boolean {
  let recentConnections = 0
  server.on('connection', () => {
    recentConnections++
    setImmediate(() => setImmediate(() => recentConnections--))
  })
  return () => recentConnections > 0
}

/**
 * Closes right after the poll phase (`setImmediate`), because closing resets connections that are not accepted and
 * requests that are not read yet.
 */
function closeGracefully(
  server: Server,
  withinMs: number,
  deps: { mayWait(): boolean; takesNothingNew(): void },
): Promise<void> {
  return new Promise((resolve) => {
    const forceClose = setTimeout(() => server.closeAllConnections(), withinMs)
    const startedAt = performance.now()
    let lastAt = startedAt
    server.on('request', () => {
      lastAt = performance.now()
    })
    const closeIdle = () => {
      if (performance.now() >= Math.min(lastAt + lingerMs, startedAt + maxLingerMs)) server.closeIdleConnections()
    }
    // Repeated, because a connection becomes idle only when its last response is sent.
    const sweep = setInterval(() => setImmediate(closeIdle), 50)
    const onClosed = () => {
      clearTimeout(forceClose)
      clearInterval(sweep)
      resolve()
    }
    const stopListening = () => {
      if (deps.mayWait() && performance.now() < startedAt + maxLingerMs) return void setImmediate(stopListening)
      // The `close` of node:net, because node:http's would close idle connections at once.
      NetServer.prototype.close.call(server, onClosed)
      deps.takesNothingNew()
    }
    setImmediate(stopListening)
  })
}

/**
 * A connection is closed after this time without data in either direction: a response that is never read would stay in
 * memory. Longer than any call takes; streams send a comment more often.
 */
const silentMs = 120_000

/** The node:http server of the process, with its limits on headers and time. */
export function openHttpServer(initialAnswer: AnswerRequest) {
  let answer = initialAnswer
  let isClosing = false
  const server = createServer(
    {
      maxHeaderSize: 16 * 1_024,
      headersTimeout: 10_000,
      requestTimeout: 15_000,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 65_000, // longer than the usual 60 s of a proxy in front
      noDelay: true,
      requireHostHeader: false, // node:http would refuse it without an Error object
    },
    (request, response) => {
      if (isClosing) response.shouldKeepAlive = false
      const refused = checkHead(request)
      if (refused) sendFault(response, refused)
      else if (request.url === '*') answerServerOptions(response)
      else answer(request, response)
    },
  )
  server.timeout = silentMs
  server.maxHeadersCount = maxHeaders + 1 // node:http silently drops headers above the limit; one more makes the excess visible
  server.on('clientError', refuseBrokenRequest)
  const mayWait = trackArrivals(server)
  return {
    server,
    setAnswer(next: AnswerRequest) {
      answer = next
    },
    /** Resolves with the port. Rejects with a message for the operator if the port is not available. */
    listen: (host: string, port: number) => listenOn(server, host, port),
    /** Stops accepting connections, waits at most `withinMs` for open requests, then closes all connections. */
    close(withinMs: number) {
      // `Connection: close` is sent only after the listener is closed, so that clients do not reconnect to a closing
      // socket.
      const takesNothingNew = () => {
        isClosing = true
      }
      return closeGracefully(server, withinMs, { mayWait, takesNothingNew })
    },
  }
}
