import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One request as it arrived; `json` where the body is JSON. */
export type Received = { method: string; path: string; headers: IncomingHttpHeaders; text: string; json: unknown }
export type Reply = { status: number; headers?: Record<string, string>; body?: string }

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * A destination: an HTTP server on loopback that remembers what it got and answers as it is told.
 * `remember: false` for floods, where only `answer` looks at what comes.
 */
export async function openVendor(
  answer: (received: Received) => Reply = () => ({ status: 200, body: '{}' }),
  { remember = true } = {},
) {
  const got: Received[] = []
  const vendor = { url: '', got, answer, close }
  const server = createServer(async (incoming, response) => {
    let text = ''
    for await (const chunk of incoming) text += chunk
    const { method = '', url: path = '', headers } = incoming
    const received = { method, path, headers, text, json: parsed(text) }
    if (remember) got.push(received)
    const { status, headers: more, body } = vendor.answer(received)
    response.writeHead(status, { 'content-type': 'application/json', ...more }).end(body ?? '')
  })
  async function close(): Promise<void> {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  vendor.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return vendor
}
