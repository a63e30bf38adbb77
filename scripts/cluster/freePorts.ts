import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** Below those that Linux gives to outgoing connections: while a server is down, such a connection would take its port. */
const [firstPort, endPort] = [15_000, 32_000]

/** A listener on a random port that nobody uses. */
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

/** Ports of 127.0.0.1 without a listener, all different: they are held together, then released. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listenSomewhere))
  const ports = servers.map((server) => (server.address() as { port: number }).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}
