import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One request. `path` holds the query as well; `json` is undefined where the body is no JSON. */
export type Got = { method: string; path: string; headers: IncomingHttpHeaders; body: string; json: unknown }
export type Reply = { status?: number; headers?: Record<string, string>; body?: string }
export type Answer = (got: Got) => Reply | Promise<Reply>

export type Vendor = {
  /** `http://127.0.0.1:<port>` */
  url: string
  got: Got[]
  /** What is answered; may be replaced at any time. */
  answer: Answer
  close(): Promise<void>
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A destination on this machine. It remembers what it got, unless `remember` is false, and says 200 unless told otherwise. */
export async function openVendor(answer: Answer = () => ({}), { remember = true } = {}): Promise<Vendor> {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const { method = '', url: path = '', headers } = request
    const got = { method, path, headers, body, json: parsed(body) }
    if (remember) vendor.got.push(got)
    const reply = await vendor.answer(got)
    const answered = { 'content-type': 'application/json', ...reply.headers }
    response.writeHead(reply.status ?? 200, answered).end(reply.body ?? '{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const vendor: Vendor = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    got: [],
    answer,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return vendor
}
