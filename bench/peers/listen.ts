import { createServer } from 'node:http'

/** The fields of the benchmark's event that a peer needs. */
export type Came = { eventName: string; eventId: string; timestamp: number; data: Record<string, unknown> }

/** Accepts events like the bare server, at the port of the command line, and answers each once `take` has resolved. */
export function listen(take: (event: Came) => Promise<unknown>): void {
  createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const text = Buffer.concat(chunks).toString()
      if (text !== '') await take(JSON.parse(text) as Came)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  }).listen(Number(process.argv[2]), '127.0.0.1')
}

/** A package that exists only once the bench has installed it, so its types cannot be checked. */
export const load = <Exports>(name: string): Promise<Exports> => import(name) as Promise<Exports>
