import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AuthenticatedToken } from '#account/authenticatedToken.ts'
import type { SignedInPerson } from '#account/session.ts'
import { badRequest, fault } from '#contract/fault.ts'
import type { Operation, OperationInput, OperationResponse } from '#contract/operations.ts'
import { compileValidator, type TObject } from '#contract/schema.ts'
import { matchesEtag } from '#kit/etag.ts'
import { type AuthenticatedCaller, authorizeCall, requireJsonContent } from './authorizeCall.ts'
import type { CountCall } from './rateLimit.ts'
import { readJson } from './readJson.ts'
import { type SseMessage, sendEventStream } from './serverSentEvents.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; undefined for a public operation. */
    access: AuthenticatedCaller | undefined
  }
}

/** The caller of an operation: undefined, a signed-in person, or a token. */
type CallerOf<O extends Operation> = O['access'] extends 'public'
  ? undefined
  : O['access'] extends 'session'
    ? SignedInPerson
    : AuthenticatedToken

/** Reads `Authorization` as a session or a token, as the operation requires. */
export type OperationAuthenticator<O extends Operation> = (
  authorization: string | undefined,
) => Promise<O['access'] extends 'session' ? SignedInPerson : AuthenticatedToken>

/** An authorised call with validated input. `from` is the IP address of the caller. */
export type OperationCall<O extends Operation> = {
  params: OperationInput<O, 'params'>
  query: OperationInput<O, 'query'>
  body: OperationInput<O, 'body'>
  access: CallerOf<O>
  from: string
  /** The header `Last-Event-ID`, from which a stream resumes. */
  lastEventId?: string
  /** Authenticates the caller again. Throws the same faults as a new call. */
  recheckAccess(): Promise<unknown>
}

/** The handler of an operation. */
export type OperationAnswer<O extends Operation, Deps> = (
  call: OperationCall<O>,
  deps: Deps,
) => OperationResponse<O> | Promise<OperationResponse<O>>

/** Converts integers in a path or query from text. Other text is kept; the schema of a query refuses it. */
function coerceIntegers(schema: TObject, query: Record<string, unknown>): Record<string, unknown> {
  const values = Object.entries(schema.properties).map(([name, field]) => {
    const text = query[name]
    const isWhole = 'type' in field && field.type === 'integer' && typeof text === 'string' && /^-?\d{1,15}$/.test(text)
    return [name, isWhole ? Number(text) : text]
  })
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

/**
 * Reads the input of an operation from a request. Throws jsonBroken, and badRequest with every issue of query and body.
 */
function createRequestReader({ params, query, body }: Operation) {
  const checkQuery = query && compileValidator(query)
  const checkBody = body && compileValidator(body)
  return (request: FastifyRequest) => {
    const queryValues = query ? coerceIntegers(query, request.query as Record<string, unknown>) : {}
    const bodyValue = body ? readJson((request.body as Buffer | undefined) ?? Buffer.alloc(0)) : undefined
    const issues = [...(checkQuery?.(queryValues) ?? []), ...(checkBody?.(bodyValue) ?? [])]
    if (issues.length > 0) throw badRequest(...issues)
    const pathParams = request.params as Record<string, unknown>
    return { params: params ? coerceIntegers(params, pathParams) : pathParams, query: queryValues, body: bodyValue }
  }
}

/** Sends the response as JSON. A cacheable one has an ETag, and is 304 for a caller that has it. */
function sendJson({ access, maxAgeS }: Operation, answer: unknown, request: FastifyRequest, reply: FastifyReply) {
  const text = JSON.stringify(answer)
  reply.type('application/json; charset=utf-8')
  if (maxAgeS === undefined) return reply.header('cache-control', 'no-store').send(text)
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
  reply.header('etag', etag)
  reply.header('cache-control', `${access === 'public' ? 'public' : 'private'}, max-age=${maxAgeS}`)
  return matchesEtag(etag, request.headers['if-none-match']) ? reply.code(304).send() : reply.send(text)
}

/** Limits of calls: the rate limit, and the seconds for `Retry-After` while the store takes no writes. */
export type CallLimits = { count?: CountCall; retryAfterSeconds?(): number | undefined }

/** Authenticates a caller and counts the call. A call with an invalid token or session counts for its IP address. */
const authenticateAndCount =
  (
    authenticate: (authorization: string | undefined) => Promise<AuthenticatedCaller>,
    count: CountCall | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ) =>
  async (authorization: string | undefined): Promise<AuthenticatedCaller> => {
    try {
      request.access = await authenticate(authorization)
    } finally {
      await count?.(request, reply)
    }
    return request.access
  }

function refuseWhileOverloaded({ method }: Operation, retryAfter: CallLimits['retryAfterSeconds']): void {
  const afterS = method === 'GET' ? undefined : retryAfter?.()
  if (afterS !== undefined) throw fault('overloaded', { headers: { 'retry-after': `${afterS}` } })
}

/**
 * Registers the route of an operation. Token or session, team, scopes and content type are checked before the body is
 * read, and the schema before the handler is called.
 */
export function bindOperation<O extends Operation>(
  app: FastifyInstance,
  operation: O,
  answer: (call: OperationCall<O>) => unknown,
  authenticate: OperationAuthenticator<O>,
  { count, retryAfterSeconds: retryAfter }: CallLimits = {},
): void {
  const readRequest = createRequestReader(operation)
  app.route({
    method: operation.method,
    url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
    onRequest: async (request, reply) => {
      if (operation.access === 'public') await count?.(request, reply)
      else await authorizeCall(operation, request.headers, authenticateAndCount(authenticate, count, request, reply))
      refuseWhileOverloaded(operation, retryAfter)
      requireJsonContent(operation, request.headers)
    },
    handler: async (request, reply) => {
      const { authorization, 'last-event-id': lastEventId } = request.headers
      const recheckAccess = () => authenticate(authorization)
      const resume = typeof lastEventId === 'string' && lastEventId !== '' ? { lastEventId } : {}
      const call = { ...readRequest(request), ...resume, access: request.access, from: request.ip, recheckAccess }
      if (operation.isStream)
        return sendEventStream(request, reply, (await answer(call as OperationCall<O>)) as AsyncIterable<SseMessage>)
      return sendJson(operation, await answer(call as OperationCall<O>), request, reply)
    },
  })
}
