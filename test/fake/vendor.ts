import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'

/** One request, decompressed. `path` includes the query; `json` is undefined if the body is not JSON. */
export type ReceivedRequest = {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
  json: unknown
}
export type VendorReply = { status?: number; headers?: Record<string, string>; body?: string }
export type VendorAnswer = (got: ReceivedRequest) => VendorReply | Promise<VendorReply>

export type Vendor = {
  /** `http://127.0.0.1:<port>` */
  url: string
  got: ReceivedRequest[]
  /** Returns the response; may be replaced at any time. */
  answer: VendorAnswer
  close(): Promise<void>
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A destination on loopback. It records its requests unless `remember` is false, and answers 200 by default. */
export async function openVendor(answer: VendorAnswer = () => ({}), { remember = true } = {}): Promise<Vendor> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url: path = '', headers } = request
    const bytes = Buffer.concat(chunks)
    const body = `${headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes}`
    const got = { method, path, headers, body, json: parseJson(body) }
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
