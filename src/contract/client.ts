import type { ErrorObject } from './fault.ts'
import { type Given, type Operation, type OperationId, operations, type Taken } from './operations.ts'
import { readMessages, type StreamMessage } from './stream.ts'

/** An answer other than 2xx, with the Error object that came. */
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
type BodyOf<O> = unknown extends Taken<O, 'body'> ? unknown : { body: Taken<O, 'body'> }
/** A stream gives message after message, and `gives` is what `delivery` messages hold. */
type GivenBy<O extends Operation> = O extends { streams: true } ? AsyncIterable<StreamMessage<unknown>> : Given<O>
type Input<O> = Taken<O, 'params'> & Taken<O, 'query'> & BodyOf<O>

/** One function per operation: the values of path and query by name, the body as `body`. */
export type Client = {
  [Id in OperationId]: (
    ...input: unknown extends Input<Operations[Id]> ? [] : [Input<Operations[Id]>]
  ) => Promise<GivenBy<Operations[Id]>>
}

export type ClientOptions = {
  /** ends with the version segment: `https://aglet.example.com/v1` */
  baseUrl: string
  token?: string
  /** what `signIn` gave: for what a person does for themselves, which takes no token */
  session?: string
  teamId?: string
  fetch?: typeof fetch
}

type Values = Record<string, unknown>

/** One segment of a path. Blank ones and dots would silently become another address. */
function segment(name: string, value: unknown): string {
  const text = String(value ?? '')
  if (text.trim() === '' || /^\.{1,2}$/.test(text)) throw new TypeError(`${name} cannot be "${text}"`)
  return encodeURIComponent(text)
}

function addressOf({ path, query, faults }: Operation, input: Values): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, input[name]))
  const asked = new URLSearchParams()
  for (const name of Object.keys(query?.properties ?? {})) {
    if (input[name] === undefined) continue
    // Answered by 407, which fetch does not hand on: refused here.
    if (faults.includes('policyIdMissing')) segment(name, input[name])
    asked.set(name, String(input[name]))
  }
  return asked.size > 0 ? `${filled}?${asked}` : filled
}

function requestOf(
  { method, access, teamHeader, body }: Operation,
  input: Values,
  options: ClientOptions,
): RequestInit {
  const headers: Record<string, string> = { accept: 'application/json' }
  const shown = access === 'session' ? options.session : options.token
  if (access !== 'public' && shown) headers.authorization = `Bearer ${shown}`
  if (teamHeader && options.teamId) headers['team-id'] = options.teamId
  if (!body) return { method, headers }
  return { method, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(input.body) }
}

/** A proxy in between may answer with something else than the Error object. */
async function errorIn(response: Response): Promise<ErrorObject> {
  const said = (await response.json().catch(() => undefined)) as Partial<ErrorObject> | undefined
  if (typeof said?.message === 'string') return { ...said, message: said.message, statusCode: response.status }
  return { message: `The server answered ${response.status}.`, statusCode: response.status }
}

async function call(operation: Operation, input: Values, options: ClientOptions): Promise<unknown> {
  const send = options.fetch ?? fetch
  const base = options.baseUrl.replace(/\/$/, '')
  const response = await send(`${base}${addressOf(operation, input)}`, requestOf(operation, input, options))
  if (!response.ok) throw new ApiError(await errorIn(response))
  return operation.streams ? readMessages(response.body!) : response.json()
}

/** The control API as functions. Each throws ApiError for what the API refuses, and what fetch throws when it cannot be reached. */
export function client(options: ClientOptions): Client {
  const calls = Object.entries<Operation>(operations).map(([id, operation]) => [
    id,
    (input: Values = {}) => call(operation, input, options),
  ])
  return Object.fromEntries(calls) as Client
}
