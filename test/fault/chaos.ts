import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { certificate, key } from './certificate.ts'

/** The action of a destination on a connection after it has received a request, whose text is passed in. */
export type Behaviour = (socket: Socket, request: string) => void
export type Behaviours = Readonly<Record<string, Behaviour>>

/** Destinations that each behave differently, chosen by the path: `/<name>`. */
export type Chaos = {
  /** The URL of the behaviour with this name. */
  urlOf(name: string): string
  /** The number of requests to it. */
  asked(name: string): number
  /** From now on, answers all requests with 200. */
  recover(): void
  close(): Promise<void>
}

const reply = (status: string, headers: readonly string[] = [], body = '{}') =>
  [`HTTP/1.1 ${status}`, `content-length: ${Buffer.byteLength(body)}`, ...headers, '', body].join('\r\n')

export const says =
  (status: string, headers: readonly string[] = [], body?: string): Behaviour =>
  (socket) =>
    socket.write(reply(status, headers, body))

/** Sends bytes unchanged, then closes. */
export const sends =
  (text: string): Behaviour =>
  (socket) =>
    socket.end(text)

/** Sends a text, then a piece at an interval while the connection is open. */
export const drips =
  (first: string, next: string, everyMs: number): Behaviour =>
  (socket) => {
    socket.write(first)
    const timer = setInterval(() => socket.write(next), everyMs)
    socket.once('close', () => clearInterval(timer))
  }

export const resets: Behaviour = (socket) => socket.resetAndDestroy()
export const isSilent: Behaviour = () => {}

const lengthOf = (head: string) => Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)

/** Passes each complete request of a connection to `take`. */
function readRequests(socket: Socket, take: (request: string, path: string) => void): void {
  let held = ''
  socket.on('error', () => {})
  socket.setEncoding('latin1').on('data', (chunk) => {
    held += chunk
    const end = held.indexOf('\r\n\r\n')
    if (end < 0 || held.length < end + 4 + lengthOf(held)) return
    const request = held
    held = ''
    take(request, /^\S+ \/([^ ?]*)/.exec(request)?.[1] ?? '')
  })
}

const listening = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/**
 * `onConnect` are behaviours that do not wait for a request: each has its own port. Those of `tls` use TLS.
 */
export async function openChaos(
  acts: Behaviours,
  onConnect: Behaviours = {},
  tls: readonly string[] = [],
): Promise<Chaos> {
  const counts = new Map<string, number>()
  const sockets = new Set<Socket>()
  const ports = new Map<string, number>()
  const servers: Server[] = []
  let isWell = false
  const well = says('200 OK')
  const track = (socket: Socket) => sockets.add(socket).size && socket.once('close', () => sockets.delete(socket))
  const serve = (socket: Socket) =>
    readRequests(socket, (request, path) => {
      counts.set(path, (counts.get(path) ?? 0) + 1)
      const act = isWell ? well : (acts[path] ?? well)
      act(socket, request)
    })
  async function open(server: Server, names: readonly string[]): Promise<void> {
    servers.push(server.on('connection', track))
    const port = await listening(server)
    for (const name of names) ports.set(name, port)
  }
  await open(
    createServer(serve),
    Object.keys(acts).filter((name) => !tls.includes(name)),
  )
  if (tls.length > 0)
    await open(
      createTlsServer({ key, cert: certificate }, serve).on('tlsClientError', () => {}),
      tls,
    )
  for (const [name, act] of Object.entries(onConnect)) {
    const connected = (socket: Socket) => {
      socket.on('error', () => {})
      isWell ? serve(socket) : act(socket, '')
    }
    await open(createServer(connected), [name])
  }
  const schemeOf = (name: string) => (tls.includes(name) || name.startsWith('tls') ? 'https' : 'http')
  return {
    urlOf: (name) => `${schemeOf(name)}://127.0.0.1:${ports.get(name)}/${name}`,
    asked: (name) => counts.get(name) ?? 0,
    recover() {
      isWell = true
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
    },
  }
}
