import type { RequestListener, Server } from 'node:http'
import helmet from '@fastify/helmet'
import rateLimit from '@fastify/rate-limit'
import Fastify, {
  type FastifyError,
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { badRequest, errorObject, Fault, fault } from '#contract/fault.ts'
import type { Log } from '#kit/log.ts'
import { QueryRefused } from '#kit/queryPool.ts'
import { setRoute } from '#kit/trace.ts'
import { toQueryFault } from '#limit/queryFault.ts'
import { DatabaseError } from '#postgres/databaseError.ts'
import { toDatabaseFault } from '#postgres/databaseFault.ts'
import { Unwritable } from '#store/store.ts'
import { errorPage, prefersPage } from './pages/errorPage.ts'
import { contentSecurityPolicy } from './pages/html.ts'

/** The methods of the routes that match a URL, and OPTIONS; empty if none matches. */
type AllowedMethods = (url: string) => string[]

/** Whether a path matches a route such as `/v1/script/:scriptId` or `/oauth/*`, both split into segments. */
function matchesPath(route: readonly string[], path: readonly string[]): boolean {
  const rest = route.indexOf('*')
  if (rest < 0 ? path.length !== route.length : path.length <= rest) return false
  return route.every((part, at) => part === '*' || part.startsWith(':') || part === path[at])
}

/** Records the routes added from now on, for 405 and OPTIONS, which the router does not provide. */
function trackAllowedMethods(app: FastifyInstance): AllowedMethods {
  const routes = new Map<string, { parts: string[]; methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    const route = routes.get(url) ?? { parts: url.split('/'), methods: new Set() }
    for (const each of [method].flat()) route.methods.add(each)
    routes.set(url, route)
  })
  return (url) => {
    const [path = ''] = url.split('?')
    const parts = path.split('/')
    const matching = [...routes.values()].filter((route) => matchesPath(route.parts, parts))
    if (matching.length === 0) return []
    return [...new Set([...matching.flatMap(({ methods }) => [...methods]), 'OPTIONS'])].sort()
  }
}

const bodyLimit = 2 * 1024 * 1024
/**
 * The maximum length of a request line, because headers are limited to 16 KiB. A percent-encoded eventId may be long.
 */
const maxParamLength = 16_384

type FastifyAppOptions = {
  log: Log
  /** Creates the server for Fastify's listener. By default Fastify creates one. */
  serverFactory?: (listener: RequestListener) => Server
  /** CIDR ranges of the proxies whose X-Forwarded-For is trusted. */
  trustProxy?: readonly string[]
}

/** The fault for an error of Fastify or a store; undefined for a bug. */
function toFault(error: FastifyError | Fault): Fault | undefined {
  if (error instanceof Fault) return error
  if (error instanceof QueryRefused) return toQueryFault(error)
  const databaseFault = toDatabaseFault(error)
  if (databaseFault) return databaseFault
  if (error instanceof Unwritable) return fault('overloaded', { headers: { 'retry-after': '10' } })
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return fault('bodyTooLarge')
  if (error.code === 'FST_ERR_MAX_PARAM_LENGTH') return fault('notFound')
  if (error.code === 'FST_ERR_BAD_URL') return badRequest({ path: '', message: 'the URL is not percent-encoded UTF-8' })
  const status = error.statusCode ?? 500
  return status >= 400 && status < 500 ? badRequest({ path: '', message: error.message }) : undefined
}

/** The stack without the message for a SyntaxError, because JSON.parse quotes its input there. */
const safeStack = ({ name, stack = '' }: Error) =>
  name === 'SyntaxError' ? stack.slice(stack.indexOf('\n    at ')).trim() : stack

/** Sends every fault as an Error object, or as a page to a browser. A bug becomes `internal`; its stack is only logged. */
const answerError = (log: Log) => (error: FastifyError | Fault, request: FastifyRequest, reply: FastifyReply) => {
  const knownFault = toFault(error)
  if (!knownFault || error instanceof Unwritable || error instanceof DatabaseError) {
    const route = request.routeOptions?.url
    log({ level: 'error', message: 'a request failed', method: request.method, route, stack: safeStack(error) })
  }
  const refusal = knownFault ?? fault('internal')
  reply.code(refusal.status).headers(refusal.headers).header('cache-control', 'no-store').header('vary', 'accept')
  if (prefersPage(request))
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', contentSecurityPolicy())
      .send(errorPage(refusal, request.url))
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(errorObject(refusal)))
}

/** 404 if no route matches the URL; else 405, or 204 for OPTIONS, with the allowed methods. Reads no body. */
async function answerUnknownRoute(allowed: AllowedMethods, request: FastifyRequest, reply: FastifyReply) {
  const allow = allowed(request.url).join(', ')
  if (!allow) throw fault('notFound')
  if (request.method !== 'OPTIONS') throw fault('methodNotAllowed', { headers: { allow } })
  return reply.code(204).header('allow', allow).send()
}

/** The Fastify instance of every HTTP route except the edge's. */
export function createFastify({ log, serverFactory, trustProxy = [] }: FastifyAppOptions): FastifyInstance {
  const options: FastifyHttpOptions<Server> = {
    bodyLimit,
    exposeHeadRoutes: true,
    routerOptions: { caseSensitive: true, maxParamLength },
    trustProxy: trustProxy.length > 0 ? [...trustProxy] : false,
    frameworkErrors: (error, request, reply) => void answerError(log)(error, request, reply as FastifyReply),
    ...(serverFactory && { serverFactory }),
  }
  const app: FastifyInstance = Fastify(options)
  const allowed = trackAllowedMethods(app)
  app.setErrorHandler(answerError(log))
  app.decorateRequest('access', undefined)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.register(rateLimit, { global: false })
  app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    // HSTS is up to the operator's TLS proxy, because it affects the whole host.
    strictTransportSecurity: false,
  })
  app.addHook('onRequest', async ({ raw, routeOptions }) => {
    if (routeOptions.url) setRoute(raw, routeOptions.url)
  })
  app.after(() => {
    app.addHook('onRequest', async (request, reply) =>
      request.is404 ? answerUnknownRoute(allowed, request, reply) : undefined,
    )
  })
  return app
}
