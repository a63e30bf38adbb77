import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { FindPersonAccess } from '#account/personAccess.ts'
import type { AuthenticatePerson } from '#account/personAuthenticator.ts'
import type { SignedInPerson } from '#account/session.ts'
import type { TeamAccess } from '#account/teamAccess.ts'
import type { DashboardLanguage } from '#contract/dashboardLanguage.ts'
import { badRequest, fault } from '#contract/fault.ts'
import type { Operation, OperationInput, OperationResponse } from '#contract/operations.ts'
import { parseIfMatch } from '#contract/revision.ts'
import type { TObject, TSchema } from '#contract/schema.ts'
import { unknownFieldWarnings } from '#contract/unknownFields.ts'
import { compileValidator, type Validator } from '#contract/validator.ts'
import { type AuthenticatedCaller, authorizeCall, requireJsonContent } from './authorizeCall.ts'
import type { CountCall } from './rateLimit.ts'
import { readJson } from './readJson.ts'
import { requestLanguage } from './requestLanguage.ts'
import { type ExportFile, sendExport } from './sendExport.ts'
import { sendJson } from './sendJson.ts'
import { type SseMessage, sendEventStream } from './serverSentEvents.ts'
import type { SessionCookie } from './sessionCookie.ts'

type FieldShape = TSchema & { type?: string; items?: FieldShape }

const parseText = ({ type }: FieldShape, text: string): unknown =>
  type === 'integer' && /^-?\d{1,15}$/.test(text) ? Number(text) : text

function parseField(field: FieldShape, value: unknown): unknown {
  if (field.type === 'array' && field.items) {
    const { items } = field
    // A repeated field arrives as a list.
    const texts = Array.isArray(value) ? value : [value]
    return texts.every((each) => typeof each === 'string')
      ? texts.flatMap((each) => each.split(',')).map((each) => parseText(items, each.trim()))
      : value
  }
  return typeof value === 'string' ? parseText(field, value) : value
}

/**
 * The values of a path or query by the types of their schema: integers from text, and lists from comma-separated text.
 * Other text is kept; a query's schema refuses it.
 */
function parseQuery({ properties }: TObject, query: Record<string, unknown>): Record<string, unknown> {
  const values = Object.entries(properties).map(([name, field]) => [name, parseField(field as FieldShape, query[name])])
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; undefined for a public operation. */
    access: AuthenticatedCaller | undefined
  }
}

/** The caller of an operation: undefined, a signed-in person, or the access of a token or person to a team. */
type CallerOf<O extends Operation> = O['access'] extends 'public'
  ? undefined
  : O['access'] extends 'session' | 'operator'
    ? SignedInPerson
    : TeamAccess

/** Reads `Authorization` as a session or a token, as the operation requires. */
export type OperationAuthenticator<O extends Operation> = (
  authorization: string | undefined,
) => Promise<O['access'] extends 'session' | 'operator' ? SignedInPerson : TeamAccess>

/** An authorised call with validated input. `from` is the IP address of the caller. */
export type OperationCall<O extends Operation> = {
  params: OperationInput<O, 'params'>
  query: OperationInput<O, 'query'>
  body: OperationInput<O, 'body'>
  access: CallerOf<O>
  from: string
  /** The language of texts that the call produces, such as mails. */
  language: DashboardLanguage
  /** The version of the header `If-Match`, for operations that take one. */
  ifMatch?: number
  /** The header `Last-Event-ID`, from which a stream resumes. */
  lastEventId?: string
  /** Checks the caller's access again. Throws the same faults as a new call. */
  recheckAccess(): Promise<unknown>
  /** The cookies of the browser; absent unless the call comes from a page of this origin. */
  browser?: BrowserCookies
}

export type BrowserCookies = {
  /** Sets the session cookie to a secret, or deletes it for an empty one. */
  setSession(secret: string, lifeMs: number): void
  /** The browser's proof of the people who have signed in there. */
  device: string | undefined
  userAgent: string | undefined
  setDevice(text: string): void
}

/** The handler of an operation. */
export type OperationAnswer<O extends Operation, Deps> = (
  call: OperationCall<O>,
  deps: Deps,
) => OperationResult<O> | Promise<OperationResult<O>>

type OperationResult<O extends Operation> = O extends { isExport: true }
  ? ExportFile
  : O extends { isStream: true }
    ? AsyncIterable<readonly SseMessage[]>
    : OperationResponse<O>

const validators = new WeakMap<TSchema, Validator>()

/** Compiled on first use and shared by both environments: a process answers few of all operations. */
function validatorOf(schema: TSchema): Validator {
  const validator = validators.get(schema) ?? compileValidator(schema)
  validators.set(schema, validator)
  return validator
}

/**
 * Reads the input of an operation from a request. Throws jsonBroken, and badRequest with every issue of query and body.
 */
function createRequestReader({ params, query, body, takesVersion }: Operation) {
  return (request: FastifyRequest) => {
    const queryValues = query ? parseQuery(query, request.query as Record<string, unknown>) : {}
    const bodyValue = body ? readJson((request.body as Buffer | undefined) ?? Buffer.alloc(0)) : undefined
    const ifMatch = takesVersion ? parseIfMatch(request.headers['if-match']) : undefined
    const queryIssues = query ? validatorOf(query)(queryValues) : []
    const bodyIssues = body ? validatorOf(body)(bodyValue) : []
    const issues = [...queryIssues, ...bodyIssues]
    if (ifMatch === null) issues.push({ path: 'If-Match', message: 'must be a version in double quotes, such as "3"' })
    if (issues.length > 0) throw badRequest(...issues)
    const pathParams = request.params as Record<string, unknown>
    return {
      params: params ? parseQuery(params, pathParams) : pathParams,
      query: queryValues,
      body: bodyValue,
      ...(ifMatch != null && { ifMatch }),
    }
  }
}

/** Limits of calls: the rate limit, and the seconds for `Retry-After` while the store takes no writes. */
export type CallLimits = { count?: CountCall; retryAfterSeconds?(): number | undefined }

/** How calls with a session cookie are authenticated. Without it, cookies are ignored. */
type SessionCalls = {
  cookie: SessionCookie
  authenticatePerson: AuthenticatePerson
  findPersonAccess: FindPersonAccess
}

/** The session secret of a call from a page of this origin. */
const readOwnSession = ({ cookie }: SessionCalls, { method, headers }: FastifyRequest): string | undefined =>
  cookie.isOwnPage(method, headers) ? cookie.read(headers) : undefined

/** Checks the access of calls of an operation. */
function createCallAuthorizer<O extends Operation>(
  operation: O,
  authenticate: OperationAuthenticator<O>,
  sessions: SessionCalls | undefined,
) {
  const findPersonAccess: FindPersonAccess = async (...of) => sessions?.findPersonAccess(...of)
  const authenticateRequest = async (request: FastifyRequest): Promise<AuthenticatedCaller> => {
    const secret = sessions && readOwnSession(sessions, request)
    if (sessions && secret !== undefined) return sessions.authenticatePerson(`Bearer ${secret}`)
    return authenticate(request.headers.authorization)
  }
  return (request: FastifyRequest, onAuthenticated: () => unknown = () => undefined) =>
    authorizeCall(operation, request.headers, {
      findPersonAccess,
      async authenticate() {
        try {
          request.access = await authenticateRequest(request)
        } finally {
          await onAuthenticated()
        }
        return request.access
      },
    })
}

function refuseWhileOverloaded({ method }: Operation, retryAfter: CallLimits['retryAfterSeconds']): void {
  const afterS = method === 'GET' ? undefined : retryAfter?.()
  if (afterS !== undefined) throw fault('overloaded', { headers: { 'retry-after': `${afterS}` } })
}

/** The cookies of a call from a page of this origin. */
function browserCookies(
  sessions: SessionCalls | undefined,
  { method, headers }: FastifyRequest,
  reply: FastifyReply,
): Pick<OperationCall<Operation>, 'browser'> {
  if (!sessions?.cookie.isOwnPage(method, headers)) return {}
  const { cookie } = sessions
  return {
    browser: {
      setSession: (secret, lifeMs) => void reply.header('set-cookie', cookie.format(secret, lifeMs)),
      device: cookie.readDevice(headers),
      userAgent: headers['user-agent'],
      setDevice: (text) => void reply.header('set-cookie', cookie.formatDevice(text)),
    },
  }
}

/** The answer with a warning for each unknown field of the body. */
function withWarnings({ body: schema }: Operation, body: unknown, answer: unknown): unknown {
  const unknown = schema ? unknownFieldWarnings(schema, body) : []
  if (unknown.length === 0) return answer
  const { warnings = [], ...rest } = answer as { warnings?: readonly string[] }
  return { ...rest, warnings: [...warnings, ...unknown] }
}

/**
 * Registers the route of an operation. Token or session, team, scopes and content type are checked before the body is
 * read, and the schema before the handler is called. A call with an invalid token or session counts for its IP address.
 */
export function bindOperation<O extends Operation>(
  app: FastifyInstance,
  operation: O,
  answer: (call: OperationCall<O>) => unknown,
  authenticate: OperationAuthenticator<O>,
  { count, retryAfterSeconds: retryAfter }: CallLimits = {},
  sessions?: SessionCalls,
): void {
  const readRequest = createRequestReader(operation)
  const authorize = createCallAuthorizer(operation, authenticate, sessions)
  app.route({
    method: operation.method,
    url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
    onRequest: async (request, reply) => {
      if (operation.access === 'public') await count?.(request, reply)
      else request.access = await authorize(request, () => count?.(request, reply))
      refuseWhileOverloaded(operation, retryAfter)
      requireJsonContent(operation, request.headers)
    },
    handler: async (request, reply) => {
      const { access, ip: from } = request
      const { 'last-event-id': lastEventId } = request.headers
      const resume = typeof lastEventId === 'string' && lastEventId !== '' ? { lastEventId } : {}
      const language = requestLanguage(request.headers)
      const recheckAccess = () => authorize(request)
      const browser = browserCookies(sessions, request, reply)
      const call = { ...readRequest(request), ...resume, ...browser, access, from, recheckAccess, language }
      if (operation.isStream)
        return sendEventStream(
          request,
          reply,
          (await answer(call as OperationCall<O>)) as AsyncIterable<readonly SseMessage[]>,
        )
      if (operation.isExport) return sendExport(request, reply, (await answer(call as OperationCall<O>)) as ExportFile)
      const answered = await answer(call as OperationCall<O>)
      return sendJson(operation, withWarnings(operation, call.body, answered), request, reply)
    },
  })
}
