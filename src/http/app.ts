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
import { queryFault } from '#limit/queryFault.ts'
import { Unwritable } from '#store/store.ts'
import { type Allowed, allowedMethods } from './allow.ts'

const bodyLimit = 2 * 1024 * 1024
/** As long as a request line can be, whose headers are limited to 16 KiB: an eventId may be long once it is encoded. */
const maxParamLength = 16_384

export type AppOptions = {
  log: Log
  /** Makes the server around Fastify's listener; without it Fastify makes its own. */
  serverFactory?: (listener: RequestListener) => Server
  /** CIDR ranges of proxies whose X-Forwarded-For is believed. */
  trustProxy?: readonly string[]
}

/** What Fastify itself refuses, in our words; undefined for a bug. */
function faultOf(error: FastifyError | Fault): Fault | undefined {
  if (error instanceof Fault) return error
  if (error instanceof QueryRefused) return queryFault(error)
  if (error instanceof Unwritable) return fault('overloaded', { headers: { 'retry-after': '10' } })
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return fault('bodyTooLarge')
  if (error.code === 'FST_ERR_MAX_PARAM_LENGTH') return fault('notFound')
  if (error.code === 'FST_ERR_BAD_URL')
    return badRequest({ path: '', message: 'the address is not percent-encoded UTF-8' })
  const status = error.statusCode ?? 500
  return status >= 400 && status < 500 ? badRequest({ path: '', message: error.message }) : undefined
}

/** JSON.parse quotes what it was given, which may be anything: then the places alone. */
const stackOf = ({ name, stack = '' }: Error) =>
  name === 'SyntaxError' ? stack.slice(stack.indexOf('\n    at ')).trim() : stack

/** Every refusal is the Error object; a bug is one too, and its stack goes to the log alone. */
const refuse = (log: Log) => (error: FastifyError | Fault, request: FastifyRequest, reply: FastifyReply) => {
  const known = faultOf(error)
  if (!known || error instanceof Unwritable) {
    const route = request.routeOptions?.url
    log({ level: 'error', message: 'a request failed', method: request.method, route, stack: stackOf(error) })
  }
  const told = known ?? fault('internal')
  reply.code(told.status).headers(told.headers).header('cache-control', 'no-store')
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(errorObject(told)))
}

/** An address that knows other methods only names them; one that knows none is not there. Neither reads a body. */
async function refuseUnknown(allowed: Allowed, request: FastifyRequest, reply: FastifyReply) {
  const allow = allowed(request.url).join(', ')
  if (!allow) throw fault('notFound')
  if (request.method !== 'OPTIONS') throw fault('methodNotAllowed', { headers: { allow } })
  return reply.code(204).header('allow', allow).send()
}

/** The Fastify instance that every HTTP route but the edge's stands on. */
export function fastifyFor({ log, serverFactory, trustProxy = [] }: AppOptions): FastifyInstance {
  const options: FastifyHttpOptions<Server> = {
    bodyLimit,
    exposeHeadRoutes: true,
    routerOptions: { caseSensitive: true, maxParamLength },
    trustProxy: trustProxy.length > 0 ? [...trustProxy] : false,
    frameworkErrors: (error, request, reply) => void refuse(log)(error, request, reply as FastifyReply),
    ...(serverFactory && { serverFactory }),
  }
  const app: FastifyInstance = Fastify(options)
  const allowed = allowedMethods(app)
  app.setErrorHandler(refuse(log))
  app.decorateRequest('access', undefined)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.register(rateLimit, { global: false })
  app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    // Who ends TLS decides for how long the whole host is bound to it.
    strictTransportSecurity: false,
  })
  app.after(() => {
    app.addHook('onRequest', async (request, reply) =>
      request.is404 ? refuseUnknown(allowed, request, reply) : undefined,
    )
  })
  return app
}
