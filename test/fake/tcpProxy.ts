import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { createCommitWatch } from './commitWatch.ts'

/** A TCP proxy on a port of 127.0.0.1, whose faults can be switched while connections are open. */
export type TcpProxy = {
  port: number
  /** Resets all connections. New connections are accepted. */
  cut(): void
  /** Until `heal`, resets all connections, including new ones. */
  refuse(): void
  /** Until `heal`, drops all bytes silently: connections stay open. */
  blackHole(): void
  /** Until `heal`, delays every byte by this time, in each direction. */
  delay(ms: number): void
  heal(): void
  /** Swallows the answers of the next commits: their connections are reset after the server has committed. */
  swallowCommits(count: number): void
  /** How many answers were swallowed. */
  swallowed(): number
  close(): Promise<void>
}

type Pair = { client: Socket; server: Socket }

/**
 * Opens a proxy for a port of 127.0.0.1, which may have no listener yet. Only a proxy for PostgreSQL clients without TLS can
 * swallow commits.
 */
export async function openTcpProxy(
  targetPort: number,
  { isPostgres = false }: { isPostgres?: boolean } = {},
): Promise<TcpProxy> {
  const pairs = new Set<Pair>()
  const sockets = new Set<Socket>()
  let mode: 'pass' | 'refuse' | 'blackHole' = 'pass'
  let delayMs = 0
  let toSwallow = 0
  let swallowed = 0

  function reset(pair: Pair): void {
    pairs.delete(pair)
    for (const socket of [pair.client, pair.server]) resetSocket(socket)
  }
  /** Passes chunks on in order, each after the delay that applied when it arrived. */
  function forward(pair: Pair, from: Socket, to: Socket, pass: (chunk: Buffer) => Buffer): void {
    let last: Promise<unknown> = Promise.resolve()
    const later = (act: () => void) => {
      const due = delayMs === 0 ? last : Promise.all([last, wait(delayMs)])
      last = due.then(act)
    }
    from.on('data', (chunk) => later(() => to.write(pass(chunk))))
    from.on('end', () => later(() => to.end()))
    from.on('error', () => reset(pair))
    from.on('close', () => pairs.delete(pair))
  }
  function accept(client: Socket): void {
    const server = connect(targetPort, '127.0.0.1')
    const pair = { client, server }
    const watch = createCommitWatch()
    pairs.add(pair)
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    }
    client.setNoDelay(true)
    server.setNoDelay(true)
    forward(pair, client, server, (chunk) => chunk)
    forward(pair, server, client, (chunk) => {
      if (!isPostgres) return chunk
      const { pass, hasSwallowed } = watch(chunk, toSwallow > 0)
      if (!hasSwallowed) return pass
      toSwallow--
      swallowed++
      reset(pair)
      return Buffer.alloc(0)
    })
    if (mode === 'refuse') reset(pair)
    if (mode === 'blackHole') pause(pair)
  }
  const listener = createServer(accept)
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  return {
    port: (listener.address() as AddressInfo).port,
    cut: () => [...pairs].forEach(reset),
    refuse() {
      mode = 'refuse'
      ;[...pairs].forEach(reset)
    },
    blackHole() {
      mode = 'blackHole'
      pairs.forEach(pause)
    },
    delay(ms) {
      delayMs = ms
    },
    heal() {
      mode = 'pass'
      delayMs = 0
      for (const { client, server } of pairs) {
        client.resume()
        server.resume()
      }
    },
    swallowCommits(count) {
      toSwallow = count
    },
    swallowed: () => swallowed,
    async close() {
      const closed = new Promise<void>((resolve) => listener.close(() => resolve()))
      for (const socket of sockets) resetSocket(socket)
      await closed
    },
  }
}

/** A socket that was ended cannot be reset: Node would leave it open. */
const resetSocket = (socket: Socket) => (socket.writableEnded ? socket.destroy() : socket.resetAndDestroy())

function pause({ client, server }: Pair): void {
  client.pause()
  server.pause()
}
