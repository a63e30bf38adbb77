import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Access } from '#account/access.ts'
import type { SignedIn } from '#account/session.ts'
import { badRequest, fault } from '#contract/fault.ts'
import type { Given, Operation, Taken } from '#contract/operations.ts'
import { check, type TObject } from '#contract/schema.ts'
import { admit, type Caller, refuseOtherContent } from './admit.ts'
import { readJson } from './body.ts'
import type { CountCall } from './rate.ts'
import { type Message, sendMessages } from './stream.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose token or session it is; undefined where the operation is public. */
    access: Caller | undefined
  }
}

/** Who calls an operation: nobody in particular, a person who is signed in, or a token. */
type CallerOf<O extends Operation> = O['access'] extends 'public'
  ? undefined
  : O['access'] extends 'session'
    ? SignedIn
    : Access

/** Reads `Authorization` as the operation asks: a session where it wants one, else a token. */
export type AuthenticateFor<O extends Operation> = (
  authorization: string | undefined,
) => Promise<O['access'] extends 'session' ? SignedIn : Access>

/** What an operation is asked, admitted and checked against its row. `from` is the address it came from. */
export type Call<O extends Operation> = {
  params: Taken<O, 'params'>
  query: Taken<O, 'query'>
  body: Taken<O, 'body'>
  access: CallerOf<O>
  from: string
  /** The header `Last-Event-ID`: where a stream was cut off. */
  lastEventId?: string
  /** Looks whether the caller may still call. Throws what it would throw a new call. */
  again(): Promise<unknown>
}

/** Answers an operation, standing on a world. */
export type Answer<O extends Operation, On> = (call: Call<O>, on: On) => Given<O> | Promise<Given<O>>

/** Numbers are text in an address; what is no whole number stays text, and a query's is refused by the schema. */
function valuesOf(schema: TObject, query: Record<string, unknown>): Record<string, unknown> {
  const values = Object.entries(schema.properties).map(([name, field]) => {
    const text = query[name]
    const isWhole = 'type' in field && field.type === 'integer' && typeof text === 'string' && /^-?\d{1,15}$/.test(text)
    return [name, isWhole ? Number(text) : text]
  })
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

/** Reads what a row takes out of a request. Throws badRequest with every issue of query and body, and jsonBroken. */
function reader({ params, query, body }: Operation) {
  const checkQuery = query && check(query)
  const checkBody = body && check(body)
  return (request: FastifyRequest) => {
    const asked = query ? valuesOf(query, request.query as Record<string, unknown>) : {}
    const sent = body ? readJson((request.body as Buffer | undefined) ?? Buffer.alloc(0)) : undefined
    const issues = [...(checkQuery?.(asked) ?? []), ...(checkBody?.(sent) ?? [])]
    if (issues.length > 0) throw badRequest(...issues)
    const named = request.params as Record<string, unknown>
    return { params: params ? valuesOf(params, named) : named, query: asked, body: sent }
  }
}

const isKnown = (etag: string, ifNoneMatch: string | undefined) =>
  ifNoneMatch?.split(',').some((each) => [etag, '*'].includes(each.trim().replace(/^W\//, ''))) ?? false

/** The answer as JSON text; with an ETag where it may be kept, and then nothing at all to a caller who has it. */
function give({ access, maxAgeS }: Operation, answer: unknown, request: FastifyRequest, reply: FastifyReply) {
  const text = JSON.stringify(answer)
  reply.type('application/json; charset=utf-8')
  if (maxAgeS === undefined) return reply.header('cache-control', 'no-store').send(text)
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
  reply.header('etag', etag)
  reply.header('cache-control', `${access === 'public' ? 'public' : 'private'}, max-age=${maxAgeS}`)
  return isKnown(etag, request.headers['if-none-match']) ? reply.code(304).send() : reply.send(text)
}

/** What may hold a call back: too many of its kind, or a store that takes no writes (seconds after which to come again). */
export type Brakes = { count?: CountCall; busy?(): number | undefined }

/** Who calls, counted as soon as it is known whether the token or session is good: a bad one counts for its address. */
const counting =
  (
    authenticate: (authorization: string | undefined) => Promise<Caller>,
    count: CountCall | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ) =>
  async (authorization: string | undefined): Promise<Caller> => {
    try {
      request.access = await authenticate(authorization)
    } finally {
      await count?.(request, reply)
    }
    return request.access
  }

function refuseWhileBusy({ method }: Operation, busy: Brakes['busy']): void {
  const afterS = method === 'GET' ? undefined : busy?.()
  if (afterS !== undefined) throw fault('overloaded', { headers: { 'retry-after': `${afterS}` } })
}

/**
 * Makes a route of a row and the function that answers it. Token or session, team, scope and content type are looked at before
 * the body is read, the schema before the function is asked.
 */
export function bind<O extends Operation>(
  app: FastifyInstance,
  operation: O,
  answer: (call: Call<O>) => unknown,
  authenticate: AuthenticateFor<O>,
  { count, busy }: Brakes = {},
): void {
  const read = reader(operation)
  app.route({
    method: operation.method,
    url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
    onRequest: async (request, reply) => {
      if (operation.access === 'public') await count?.(request, reply)
      else await admit(operation, request.headers, counting(authenticate, count, request, reply))
      refuseWhileBusy(operation, busy)
      refuseOtherContent(operation, request.headers)
    },
    handler: async (request, reply) => {
      const { authorization, 'last-event-id': lastEventId } = request.headers
      const again = () => authenticate(authorization)
      const told = typeof lastEventId === 'string' && lastEventId !== '' ? { lastEventId } : {}
      const call = { ...read(request), ...told, access: request.access, from: request.ip, again }
      if (operation.streams)
        return sendMessages(request, reply, (await answer(call as Call<O>)) as AsyncIterable<Message>)
      return give(operation, await answer(call as Call<O>), request, reply)
    },
  })
}
