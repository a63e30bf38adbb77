import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** Below the ports that Linux uses for outgoing connections, which could take the port of a server while it is down. */
const [firstPort, endPort] = [15_000, 32_000]

/** A listener on a random free port. */
async function listenSomewhere(): Promise<Server> {
  for (;;) {
    const server = createServer().listen(randomInt(firstPort, endPort), '127.0.0.1')
    const isListening = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (isListening) return server
  }
}

/** Different free ports of 127.0.0.1: all are held at the same time, then released. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listenSomewhere))
  const ports = servers.map((server) => (server.address() as { port: number }).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}
