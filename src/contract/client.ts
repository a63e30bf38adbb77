import type { ErrorObject } from './errorObject.ts'
import { readEventStream, type StreamMessage } from './eventStream.ts'
import { needsTeam } from './needsTeam.ts'
import {
  type Operation,
  type OperationId,
  type OperationInput,
  type OperationResponse,
  operations,
} from './operations.ts'

/** An error response (not 2xx), with its Error object. */
export class ApiError extends Error {
  readonly statusCode: number
  readonly error: ErrorObject

  constructor(error: ErrorObject) {
    super(error.message)
    this.name = 'ApiError'
    this.statusCode = error.statusCode
    this.error = error
  }
}

type Operations = typeof operations
type BodyInput<O> = unknown extends OperationInput<O, 'body'> ? unknown : { body: OperationInput<O, 'body'> }
/**
 * The result of a call: the messages of a stream, the text of an export, or the response. For a stream, `response` is
 * the schema of its `delivery` messages.
 */
type ClientAnswer<O extends Operation> = O extends { isStream: true }
  ? AsyncIterable<StreamMessage<unknown>>
  : O extends { isExport: true }
    ? ReadableStream<string>
    : OperationResponse<O>
/** The version on which a write is based, for the header `If-Match`. */
type VersionInput<O> = O extends { takesVersion: true } ? { ifMatch?: number } : unknown
type ClientInput<O> = OperationInput<O, 'params'> & OperationInput<O, 'query'> & BodyInput<O> & VersionInput<O>

/**
 * One function for each operation. Its input has path and query values by name and the body as `body`. For a write of a
 * tag or script, `ifMatch` is the version on which the write is based.
 */
export type Client = {
  [Id in OperationId]: (
    ...input: unknown extends ClientInput<Operations[Id]> ? [] : [ClientInput<Operations[Id]>]
  ) => Promise<ClientAnswer<Operations[Id]>>
}

export type ClientOptions = {
  /** ends with the version segment: `https://aglet.example.com/v1` */
  baseUrl: string
  token?: string
  /** the session from `signIn`, for operations of a person; they take no token */
  session?: string
  teamId?: string
  fetch?: typeof fetch
}

type Values = Record<string, unknown>

/** One path segment. Throws for a blank one, `.` or `..`, which would change the URL. */
function segment(name: string, value: unknown): string {
  const text = String(value ?? '')
  if (text.trim() === '' || /^\.{1,2}$/.test(text)) throw new TypeError(`${name} cannot be "${text}"`)
  return encodeURIComponent(text)
}

function operationUrl({ path, query, faults }: Operation, input: Values): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, input[name]))
  const values = new URLSearchParams()
  for (const name of Object.keys(query?.properties ?? {})) {
    if (input[name] === undefined) continue
    // The server would answer 407, which fetch does not return to the caller, so a blank value throws here.
    if (faults?.includes('policyIdMissing')) segment(name, input[name])
    values.set(name, String(input[name]))
  }
  return values.size > 0 ? `${filled}?${values}` : filled
}

function buildRequest(operation: Operation, input: Values, options: ClientOptions): RequestInit {
  const { method, access, body } = operation
  const headers: Record<string, string> = { accept: 'application/json' }
  const bearer = access === 'session' ? options.session : options.token
  if (access !== 'public' && bearer) headers.authorization = `Bearer ${bearer}`
  if (needsTeam(operation) && options.teamId) headers['team-id'] = options.teamId
  if (input.ifMatch !== undefined) headers['if-match'] = `"${input.ifMatch}"`
  if (!body) return { method, headers }
  return { method, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(input.body) }
}

/** The Error object of a response. A proxy may respond without one; the message then contains only the status. */
async function readError(response: Response): Promise<ErrorObject> {
  const body = (await response.json().catch(() => undefined)) as Partial<ErrorObject> | undefined
  if (typeof body?.message === 'string') return { ...body, message: body.message, statusCode: response.status }
  return { message: `The server answered ${response.status}.`, statusCode: response.status }
}

async function callOperation(operation: Operation, input: Values, options: ClientOptions): Promise<unknown> {
  const send = options.fetch ?? fetch
  const base = options.baseUrl.replace(/\/$/, '')
  const response = await send(`${base}${operationUrl(operation, input)}`, buildRequest(operation, input, options))
  if (!response.ok) throw new ApiError(await readError(response))
  if (operation.isExport)
    return response.body!.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
  return operation.isStream ? readEventStream(response.body!) : response.json()
}

/** The control API as functions. Each throws ApiError for an error response, and rethrows an error of fetch. */
export function client(options: ClientOptions): Client {
  const calls = Object.entries<Operation>(operations).map(([id, operation]) => [
    id,
    (input: Values = {}) => callOperation(operation, input, options),
  ])
  return Object.fromEntries(calls) as Client
}
