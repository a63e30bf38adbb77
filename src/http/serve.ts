import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import { type AddressInfo, Server as NetServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { errorObject, type Fault, fault } from '#contract/fault.ts'

/** Answers one request. Replaced while the server runs: it listens before the house is open. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void

export type HttpServer = {
  server: Server
  answerWith(answer: Answer): void
  /** Resolves with the port. Rejects with a sentence for the operator when the port cannot be had. */
  listen(host: string, port: number): Promise<number>
  /** Takes nothing new, lets what is under way end for at most `withinMs`, then cuts what is left. */
  close(withinMs: number): Promise<void>
}

const maxHeaders = 64

/** An Error object as an answer, for requests that never reach a route. */
export function answerFault(response: ServerResponse, problem: Fault): void {
  const body = JSON.stringify(errorObject(problem))
  response.writeHead(problem.status, {
    ...problem.headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

function faultOfClient(code: string | undefined): Fault {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return fault('requestTimeout')
  return fault(code === 'HPE_HEADER_OVERFLOW' ? 'headersTooLarge' : 'httpBroken')
}

function refusalOf({ rawHeaders, headers, httpVersion }: IncomingMessage): Fault | undefined {
  if (rawHeaders.length > maxHeaders * 2) return fault('headersTooLarge', { headers: { connection: 'close' } })
  if (headers.host === undefined ? httpVersion === '1.1' : hasTwoHosts(rawHeaders))
    return fault('httpBroken', { headers: { connection: 'close' } })
  return undefined
}

/** node:http takes the first; a proxy in front may have taken the other, and what a host may ask for depends on its name. */
const hasTwoHosts = (rawHeaders: readonly string[]) =>
  rawHeaders.filter((name, at) => at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host').length > 1

/** What the parser refused has no response object: the answer is written on the connection, which then closes. */
function refuseClient(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const problem = faultOfClient(error.code)
  const body = JSON.stringify(errorObject(problem))
  const head = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\ncontent-type: application/json; charset=utf-8`
  socket.end(`${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`)
}

function whyNotListening(problem: NodeJS.ErrnoException, host: string, port: number): Error {
  if (problem.code === 'EADDRINUSE')
    return new Error(`Port ${port} on ${host} is taken: stop what listens there, or choose another with --port.`)
  if (problem.code === 'EACCES')
    return new Error(`Port ${port} may not be used by this user: choose one above 1023 with --port.`)
  return new Error(`Aglet cannot listen on ${host}, port ${port} (${problem.code}): choose another --host or --port.`)
}

function listenOn(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const refuse = (problem: NodeJS.ErrnoException) => reject(whyNotListening(problem, host, port))
    server.once('error', refuse)
    server.listen({ host: host.replace(/^\[|\]$/g, ''), port, backlog: 1_024 }, () => {
      server.off('error', refuse)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

/**
 * So long after the last request idle connections stay open: what a caller is sending on one just now is answered, and told
 * that it is the last. Under load, when callers come late, requests still come on other connections.
 */
const lingerMs = 1_000
const lingerAtMostMs = 5_000

/**
 * Whether somebody may be waiting to be taken in. Each turn of the event loop takes in one caller (libuv), however many wait; who
 * waits when the door is shut is reset by the system. So it is shut after a turn in which nobody came.
 */
function watchArrivals(server: Server): () => boolean {
  let recent = 0
  server.on('connection', () => {
    recent++
    setImmediate(() => setImmediate(() => recent--))
  })
  return () => recent > 0
}

/**
 * What is closed is closed right after the sockets were looked at (`setImmediate`): a caller who has just come, or whose request
 * has come and is not read yet, would be reset.
 */
function closeWithin(
  server: Server,
  withinMs: number,
  on: { mayWait(): boolean; takesNothingNew(): void },
): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), withinMs)
    const begun = performance.now()
    let lastAt = begun
    server.on('request', () => {
      lastAt = performance.now()
    })
    const closeIdle = () => {
      if (performance.now() >= Math.min(lastAt + lingerMs, begun + lingerAtMostMs)) server.closeIdleConnections()
    }
    // A connection whose last answer went out meanwhile is idle only then.
    const sweep = setInterval(() => setImmediate(closeIdle), 50)
    const closed = () => {
      clearTimeout(cut)
      clearInterval(sweep)
      resolve()
    }
    const shut = () => {
      if (on.mayWait() && performance.now() < begun + lingerAtMostMs) return void setImmediate(shut)
      // Not the close of node:http: that closes idle connections at once.
      NetServer.prototype.close.call(server, closed)
      on.takesNothingNew()
    }
    setImmediate(shut)
  })
}

/** The one node:http server of the process, with the limits of every door. */
export function openServer(first: Answer): HttpServer {
  let answer = first
  let isClosing = false
  const server = createServer(
    {
      maxHeaderSize: 16 * 1_024,
      headersTimeout: 10_000,
      requestTimeout: 15_000,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 65_000, // longer than the usual 60 s of a proxy in front
      noDelay: true,
      requireHostHeader: false, // node:http refuses it without a body; we do it with one
    },
    (request, response) => {
      if (isClosing) response.shouldKeepAlive = false
      const refused = refusalOf(request)
      if (refused) answerFault(response, refused)
      else answer(request, response)
    },
  )
  server.maxHeadersCount = maxHeaders + 1 // node:http drops those above silently: one more shows that there are more
  server.on('clientError', refuseClient)
  const mayWait = watchArrivals(server)
  return {
    server,
    answerWith(next) {
      answer = next
    },
    listen: (host, port) => listenOn(server, host, port),
    close(withinMs) {
      // Only from then on is a caller told that it was the last answer: it comes again at once, and must not find half a door.
      const takesNothingNew = () => {
        isClosing = true
      }
      return closeWithin(server, withinMs, { mayWait, takesNothingNew })
    },
  }
}
