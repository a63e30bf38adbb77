import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import { vendors } from './all.ts'
import { down, type Failure, type Got, type MockVendor, type Reply } from './vendor.ts'

/** A request, its problems by the vendor's rules, and the status of the answer. */
export type Received = { vendor: string; at: number; got: Got; wrong: string[]; answered: number }

export type Vendors = {
  /** `http://127.0.0.1:<port>`, for `AGLET_VENDORS_URL`. */
  url: string
  received: Received[]
  /**
   * Makes the next requests to a vendor fail with this failure, or with `down`. Throws if the vendor has no such failure.
   */
  force(vendor: string, failure: string, times?: number): void
  close(): Promise<void>
}

type Desk = { received: Received[]; forced: Map<string, { failure: string; times: number }>; now(): number }

/** Thrown with a sentence for the caller. */
class Unknown extends Error {}

const mostKept = 1_000
export const asked = 'You asked for this answer.'

const failuresOf = ({ failures }: MockVendor): Readonly<Record<string, Failure>> => ({ ...failures, down })

function force({ forced }: Desk, vendor: string, failure: string, times = 1): void {
  const known = vendors[vendor as keyof typeof vendors]
  if (!known) throw new Unknown(`There is no vendor ${vendor}.`)
  const names = Object.keys(failuresOf(known))
  if (!names.includes(failure)) throw new Unknown(`${vendor} fails by ${names.join(', ')}.`)
  forced.set(vendor, { failure, times })
}

function takeForced({ forced }: Desk, id: string): string | undefined {
  const entry = forced.get(id)
  if (!entry) return undefined
  entry.times -= 1
  if (entry.times <= 0) forced.delete(id)
  return entry.failure
}

/** The vendor's answer: a forced one, else one about the problems, if the vendor reports them. */
function answer(desk: Desk, id: string, vendor: MockVendor, got: Got): Reply {
  const { key, payload } = vendor.check(got, desk.now())
  const wrong = [...key, ...payload]
  const found = key.length > 0 ? 'badKey' : 'badPayload'
  const named = takeForced(desk, id)
  const failure = failuresOf(vendor)[named ?? (wrong.length > 0 ? found : '')]
  const reply = failure ? failure.reply(named ? asked : wrong.join(' '), got) : vendor.good(got)
  desk.received.push({ vendor: id, at: desk.now(), got, wrong, answered: reply.status })
  if (desk.received.length > mostKept) desk.received.shift()
  return reply
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function gotOf(request: IncomingMessage, query: URLSearchParams, host: string, path: string, body: string): Got {
  const headers = Object.entries(request.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')])
  return {
    method: request.method ?? 'GET',
    host,
    path,
    query: Object.fromEntries(query),
    headers: Object.fromEntries(headers),
    body,
    json: parsed(body),
    form: Object.fromEntries(new URLSearchParams(body)),
  }
}

/** The vendor of a request: by a path `/vendor/<id>/…`, else by the original host. */
function toVendor(desk: Desk, request: IncomingMessage, { pathname, searchParams }: URL, body: string): Reply {
  const [, named, rest = '/'] = /^\/vendor\/(\w+)(\/.*)?$/.exec(pathname) ?? []
  const host = String(request.headers['x-aglet-host'] ?? '')
  const isMeant = ([id, { hosts }]: [string, MockVendor]) => (named ? id === named : hosts.test(host))
  const [id, vendor] = Object.entries(vendors).find(isMeant) ?? []
  if (id && vendor) return answer(desk, id, vendor, gotOf(request, searchParams, host, named ? rest : pathname, body))
  return { status: 404, json: { message: `There is no vendor ${named ?? host}: ${Object.keys(vendors).join(', ')}.` } }
}

const catalogue = () =>
  Object.entries(vendors).map(([id, vendor]) => [
    id,
    { hosts: vendor.hosts.source, failures: Object.keys(failuresOf(vendor)) },
  ])

/** The control interface: the vendors, the received requests, and how the next requests fail. */
function control(desk: Desk, method: string, { pathname, searchParams }: URL, body: string): Reply {
  if (pathname === '/received') {
    if (method === 'DELETE') desk.received.length = 0
    const of = searchParams.get('vendor')
    return { status: 200, json: { received: desk.received.filter(({ vendor }) => !of || vendor === of) } }
  }
  if (pathname === '/force' && method === 'POST') {
    const { vendor, failure, times = 1 } = (parsed(body) ?? {}) as { vendor?: string; failure?: string; times?: number }
    force(desk, String(vendor), String(failure), times)
    return { status: 200, json: { vendor, failure, times } }
  }
  return { status: pathname === '/' ? 200 : 404, json: { vendors: Object.fromEntries(catalogue()) } }
}

function reply(desk: Desk, request: IncomingMessage, body: string): Reply {
  const url = new URL(request.url ?? '/', 'http://vendors')
  const isVendors = request.headers['x-aglet-host'] !== undefined || url.pathname.startsWith('/vendor/')
  try {
    return isVendors ? toVendor(desk, request, url, body) : control(desk, request.method ?? 'GET', url, body)
  } catch (error) {
    if (error instanceof Unknown) return { status: 400, json: { message: error.message } }
    throw error
  }
}

/** The fake vendors, all on one port of this machine. */
export async function openVendors({ port = 0, now = Date.now } = {}): Promise<Vendors> {
  const desk: Desk = { received: [], forced: new Map(), now }
  const server = createServer(async (request, response) => {
    const isGzip = request.headers['content-encoding'] === 'gzip'
    const body = await text(isGzip ? request.pipe(createGunzip()) : request)
    const { status, headers, json, text: plain = '' } = reply(desk, request, body)
    const type = json === undefined ? 'text/plain' : 'application/json'
    response.writeHead(status, { 'content-type': type, ...headers })
    response.end(json === undefined ? plain : JSON.stringify(json))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: desk.received,
    force: (vendor, failure, times) => force(desk, vendor, failure, times),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
