import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { errorObject, Fault, fault } from '#contract/fault.ts'
import type { Log } from '#kit/log.ts'
import { setRoute } from '#kit/trace.ts'
import { errorPage, prefersPage } from './pages/errorPage.ts'
import { contentSecurityPolicy } from './pages/html.ts'
import type { PlainApp, PlainReply, PlainRoute } from './plainRoute.ts'

const bodyLimit = 2 * 1024 * 1024
/** The safety headers of the API, with helmet's values. */
const safeHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
}

type Route = { parts: readonly string[]; path: string; methods: Map<string, PlainRoute> }

/** The values of `:name` in a route; undefined for another path. */
function paramsOf({ parts }: Route, path: string): Record<string, string> | undefined {
  const given = path.split('/')
  if (given.length !== parts.length) return undefined
  const params: Record<string, string> = {}
  for (const [at, part] of parts.entries())
    if (part.startsWith(':')) params[part.slice(1)] = given[at]!
    else if (part !== given[at]) return undefined
  return params
}

/** The body of a request; must be short. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length']) > bodyLimit) throw fault('bodyTooLarge')
  const parts: Buffer[] = []
  let length = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length
    if (length > bodyLimit) throw fault('bodyTooLarge')
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function write(response: ServerResponse, body: unknown, isHead: boolean): void {
  const isText = typeof body === 'string'
  const sent = Buffer.from(isText ? body : JSON.stringify(body))
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'application/json; charset=utf-8')
  response.setHeader('content-length', sent.length)
  response.end(isHead ? undefined : sent)
}

function replyTo(response: ServerResponse, isHead: boolean): PlainReply & { isSent(): boolean } {
  let isSent = false
  const reply = {
    status(code: number) {
      response.statusCode = code
      return reply
    },
    header(name: string, value: string) {
      response.setHeader(name, value)
      return reply
    },
    type: (value: string) => reply.header('content-type', value),
    send(body: unknown) {
      isSent = true
      write(response, body, isHead)
    },
    isSent: () => isSent,
  }
  return reply
}

function answerFault(problem: unknown, request: IncomingMessage, response: ServerResponse, log: Log): void {
  if (!(problem instanceof Fault))
    log({ level: 'error', message: 'a request failed', method: request.method, error: problem })
  const refusal = problem instanceof Fault ? problem : fault('internal')
  response.statusCode = refusal.status
  for (const [name, value] of Object.entries(refusal.headers)) response.setHeader(name, value)
  response.setHeader('cache-control', 'no-store').setHeader('vary', 'accept')
  const isPage = prefersPage({ raw: request })
  if (isPage)
    response
      .setHeader('content-type', 'text/html; charset=utf-8')
      .setHeader('content-security-policy', contentSecurityPolicy())
  write(response, isPage ? errorPage(refusal, request.url ?? '/') : errorObject(refusal), request.method === 'HEAD')
}

/** Answers the routes of a process without the API, without a web framework. HEAD is answered wherever GET is. */
export function openPlainApp(addRoutes: (app: PlainApp) => void, log: Log): RequestListener {
  const routes: Route[] = []
  const add = (method: string) => (path: string, route: PlainRoute) => {
    const known = routes.find((each) => each.path === path)
    const at = known ?? { parts: path.split('/'), path, methods: new Map() }
    if (!known) routes.push(at)
    at.methods.set(method, route)
    if (method === 'GET') at.methods.set('HEAD', route)
  }
  addRoutes({ get: add('GET'), post: add('POST') })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET' } = request
    const [path = '/', search = ''] = (request.url ?? '/').split('?', 2)
    const found = routes.find((route) => paramsOf(route, path) !== undefined)
    if (!found) throw fault('notFound')
    setRoute(request, found.path)
    const allow = [...found.methods.keys(), 'OPTIONS'].sort().join(', ')
    if (method === 'OPTIONS') return void response.writeHead(204, { allow }).end()
    const route = found.methods.get(method)
    if (!route) throw fault('methodNotAllowed', { headers: { allow } })
    const body = method === 'POST' ? await readBody(request) : undefined
    const query = Object.fromEntries(new URLSearchParams(search))
    const reply = replyTo(response, method === 'HEAD')
    const result = await route({ query, params: paramsOf(found, path), body }, reply)
    if (!reply.isSent()) reply.send(result)
  }
  return (request, response) => {
    for (const [name, value] of Object.entries(safeHeaders)) response.setHeader(name, value)
    answer(request, response).catch((problem) => answerFault(problem, request, response, log))
  }
}
