import { createServer } from 'node:http'

/** The event of the bench, as far as a peer needs to know it. */
export type Came = { eventName: string; eventId: string; timestamp: number; data: Record<string, unknown> }

/** Takes events at the port of the command line as the bare server does, and answers each once `take` has resolved. */
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

/** A package that is there only once the bench has installed it, so that no type of it can be asked for. */
export const load = <Exports>(name: string): Promise<Exports> => import(name) as Promise<Exports>
