import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ChannelKind, SentEvent } from './events.ts'

/** The record of a destination: how often and when each event first arrived, and unexpected bodies. */
export type Destination = {
  url: string
  times: ReadonlyMap<string, number>
  firstAt: ReadonlyMap<string, number>
  /** Bodies that differ from the expected bodies of their events by at least one byte. */
  wrong: readonly string[]
  close(): Promise<void>
}

/** A destination that accepts everything, and compares it with the sent events. */
export async function openDestination(
  { idsIn, bodyOf }: ChannelKind,
  sentOf: (eventId: string) => SentEvent | undefined,
): Promise<Destination> {
  const times = new Map<string, number>()
  const firstAt = new Map<string, number>()
  const wrong: string[] = []
  function take(body: string): void {
    const ids = idsIn(body)
    const sent = ids.flatMap((id) => sentOf(id) ?? [])
    if (sent.length < ids.length || bodyOf(sent) !== body) wrong.push(body)
    for (const id of ids) {
      times.set(id, (times.get(id) ?? 0) + 1)
      if (!firstAt.has(id)) firstAt.set(id, performance.now())
    }
  }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    take(body)
    response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    times,
    firstAt,
    wrong,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
