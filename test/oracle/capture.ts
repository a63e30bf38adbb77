import dns from 'node:dns'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'

/** A received request. `body`: the JSON value, the fields of a form, or the text. */
export type Captured = {
  method: string
  path: string
  query: Record<string, string>
  headers: Record<string, string>
  body: unknown
}

/** The body of a request as a value. `data` of a form is JSON in base64, as Mixpanel's SDK sends it. */
export function bodyOf(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    const form = Object.fromEntries(new URLSearchParams(text))
    return form.data === undefined ? form : JSON.parse(Buffer.from(form.data, 'base64').toString())
  }
}

const flat = (headers: NodeJS.Dict<string | string[]>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]))

/** A server on loopback that answers every request with the status and records it. */
export async function openCapture(status = 200) {
  const captured: Captured[] = []
  const server = createServer(async (request, response) => {
    const raw = await buffer(request)
    const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw).toString()
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://capture')
    const query = Object.fromEntries(searchParams)
    captured.push({
      method: request.method ?? '',
      path: pathname,
      query,
      headers: flat(request.headers),
      body: bodyOf(text),
    })
    const answer = status === 204 ? '' : '{"code":200,"success":true,"status":"OK"}'
    response.writeHead(status, { 'content-type': 'application/json' }).end(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    captured: captured as readonly Captured[],
    async close(): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Makes this process resolve no host except this machine. Returns the requested names. */
export function refuseOtherHosts(): readonly string[] {
  const asked: string[] = []
  const lookup = dns.lookup
  const guarded = (name: string, ...rest: unknown[]) => {
    if (name === 'localhost' || name === '127.0.0.1') return Reflect.apply(lookup, dns, [name, ...rest])
    asked.push(name)
    const told = rest.at(-1) as (problem: Error) => void
    told(new Error(`${name} is not called by a test`))
  }
  dns.lookup = guarded as typeof dns.lookup
  return asked
}
