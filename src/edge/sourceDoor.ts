import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { EventResult } from '#contract/event.ts'
import { fault } from '#contract/fault.ts'
import { changedValues } from '#event/changedValues.ts'
import { eventLimits } from '#event/eventLimits.ts'
import { type IngestedBody, ingestParsed } from '#event/ingest.ts'
import { type BodyEvent, readArray } from '#event/parseBody.ts'
import type { Snapshot } from '#script/snapshot.ts'
import { sourceAt } from '#sources/allSources.ts'
import type { Source, SourceEvent, SourceRequest, SourceResult } from '#sources/source.ts'
import { appendEvents } from './append.ts'
import { authoriseSource, isKeyOf } from './authoriseSource.ts'
import { type Edge, type EdgeCall, recordIntake } from './edge.ts'
import { finishResults, refuseWhole } from './ingestResponse.ts'
import { ingestSource } from './ingestSource.ts'
import { receiveRawBody } from './receiveBody.ts'
import { countBodyBytes, preflightHeaders, refuseWhenBusy } from './requestGuards.ts'
import { seenTagUrl } from './seenTagUrl.ts'
import { sendJson } from './sendAnswer.ts'
import { findSourceUsers } from './sourceUsers.ts'

type SourceRoute = {
  raw: (call: EdgeCall, response: ServerResponse, headers: OutgoingHttpHeaders) => Promise<void>
}

/** The methods of an address of a source that is switched on for the tag. Undefined for any other address. */
export function sourceMethods(path: string, tag: Snapshot): { GET?: SourceRoute; POST?: SourceRoute } | undefined {
  const source = tag.sources && sourceAt(path, tag.sources)
  if (!source) return undefined
  const route: SourceRoute = { raw: (call, response, headers) => receiveMessages(source, call, response, headers) }
  return Object.fromEntries(source.methodsOf(path)!.map((method) => [method, route]))
}

type AddressedCall = Pick<EdgeCall, 'tag' | 'request' | 'path' | 'query'>

const requestOf = ({ request, path, query }: AddressedCall): SourceRequest => ({
  method: request.method ?? 'GET',
  path,
  query: new URLSearchParams(query),
  headers: request.headers,
})

/** What a source adds to the answer to OPTIONS. */
export function sourceOptions(call: AddressedCall, edge: Edge): OutgoingHttpHeaders {
  const { path, tag } = call
  const source = tag.sources && sourceAt(path, tag.sources)
  if (!source) return {}
  const methods = source.methodsOf(path)!.join(', ')
  const allowed = `${preflightHeaders(methods, edge)['access-control-allow-headers']}`
  return {
    'access-control-allow-headers': [allowed, ...(source.corsHeaders ?? [])].join(', '),
    ...source.optionsHeaders?.(requestOf(call)),
  }
}

const noBody = { bytes: Buffer.alloc(0) }

type BodyRequest = SourceRequest & { body: Buffer }

/** Sends the settings that an SDK asks for before its first event. Throws notFound for a key that is not the tag's. */
async function sendSettings(
  source: Source,
  call: EdgeCall,
  response: ServerResponse,
  headers: OutgoingHttpHeaders,
): Promise<void> {
  const { edge, tag } = call
  const { key, isKeyInUrl, answer } = source.settingsAt!(requestOf(call))!
  edge.deps.intakeRate.takeCall(tag, false)
  if (!(await isKeyOf(key, call))) throw fault('notFound')
  const settings = answer({ key, tagUrl: seenTagUrl(call), tagId: tag.tagId, now: edge.deps.clock.now() })
  // a cache of others may keep only what everybody gets who asks for this URL
  const isPublic = isKeyInUrl && key === tag.tagId
  headers['cache-control'] = isPublic ? 'public, max-age=300' : 'private, max-age=300'
  headers.vary = 'Origin, X-Forwarded-Prefix'
  sendJson(response, 200, JSON.stringify(settings), headers)
}

/** Accepts the messages of a request. The answer is sent when all are on disk. */
async function receiveMessages(
  source: Source,
  received: EdgeCall,
  response: ServerResponse,
  headers: OutgoingHttpHeaders,
): Promise<void> {
  const { edge, tag, request } = received
  const sourceRequest = requestOf(received)
  if (source.settingsAt?.(sourceRequest)) return sendSettings(source, received, response, headers)
  refuseWhenBusy(received)
  const key = source.keyOf(sourceRequest)
  // a key in the body is only known when that has been read; a page needs none
  const mayBeInBody = source.parse && key === undefined && request.headers.origin === undefined
  const trusted = mayBeInBody ? false : await authoriseSource(key, received)
  edge.deps.intakeRate.takeCall(tag, trusted)
  const countBytes = countBodyBytes(received, response)
  const hasBody = sourceRequest.method === 'POST'
  const { bytes } = hasBody ? await receiveRawBody(request, eventLimits.bodyBytes, countBytes) : noBody
  const take = () => takeMessages(source, { ...received, trusted }, { ...sourceRequest, body: bytes }, key)
  // HEAD asks for the headers of an answer and sends nothing
  const results = sourceRequest.method === 'HEAD' ? [] : await take()
  const { status, headers: own, body = '' } = source.answer(results, sourceRequest)
  const type = typeof body === 'string' && body !== '' ? { 'content-type': 'application/json; charset=utf-8' } : {}
  const length = status === 204 ? {} : { 'content-length': Buffer.byteLength(body) }
  const safe = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
  response.writeHead(status, { ...headers, ...safe, ...type, ...length, ...own }).end(body)
}

/** `key`: that of the request, without its body. */
async function takeMessages(
  source: Source,
  received: EdgeCall,
  request: BodyRequest,
  key: string | undefined,
): Promise<SourceResult[]> {
  const { drafts, appending, call } = await beforeCommit(source, received, request, key)
  const isNew = await Promise.all(appending)
  recordIntake(call)
  const finished = drafts.map((run, at) => finishResults(call, run, { isNew: isNew[at]! }))
  return withoutUsers(finished.flat())
}

/**
 * The steps before the commit. They are a function of their own so that messages and events are garbage when it ends, as
 * in edge/ingest.ts.
 */
async function beforeCommit(source: Source, received: EdgeCall, request: BodyRequest, key: string | undefined) {
  const { edge, tag } = received
  const { brand, clock, intakeRate } = edge.deps
  const parsed = source.parse?.(request.body)
  const isInBody = parsed && key === undefined && request.headers.origin === undefined
  const trusted = isInBody ? await authoriseSource(parsed.key, received) : received.trusted
  const call = { ...received, trusted }
  const hasOtherKey = key !== undefined && parsed?.key !== undefined && parsed.key !== key
  const receivedAt = clock.now()
  const messages = source.read({ ...request, trusted, brand, receivedAt, payload: parsed?.payload, hasOtherKey })
  const isLarge = request.body.length > eventLimits.eventBytes
  const changes = changedValues(request.body, source.hasEncodedJson)
  const read = messages.map(({ event }) => event)
  const checked = readArray(read, { changes, isLarge, receivedAt })
  const events = checked.events.map((each, at) => rejected(messages[at]!) ?? each)
  intakeRate.takeEvents(tag, trusted, events.length - 1)
  const runs = runsOf(messages, events, findSourceUsers(call, messages))
  const ingested = runs.map((run) => ingestRun(run, call, receivedAt))
  const drafts = ingested.map((run) => run.drafts)
  if (ingested.every(({ item }) => !item)) {
    const results = withoutUsers(drafts.flatMap((run) => run.results)) as EventResult[]
    refuseWhole(call, { isArray: true, events }, { isArray: true, results })
  }
  // all are begun before one is waited for: they are committed together, in this order
  const appending = ingested.map(({ item }) => appendEvents(call, item))
  return { drafts, appending, call }
}

/** A message whose source found it invalid. */
function rejected({ issues, event }: SourceEvent): BodyEvent | undefined {
  if (!issues) return undefined
  return { eventId: typeof event.eventId === 'string' ? event.eventId.slice(0, 500) : '', issues }
}

/** The results without user ids. Whoever knows one can read by it. */
const withoutUsers = (results: readonly EventResult[]): SourceResult[] =>
  results.map(({ userId: _, ...result }) => result)

/** Successive events that are stored with the same facts of the call. */
type Run = { kind: SourceEvent['kind']; isKnown: boolean; events: BodyEvent[]; userIds: string[] }

function runsOf(
  messages: readonly SourceEvent[],
  events: readonly BodyEvent[],
  users: Awaited<ReturnType<typeof findSourceUsers>>,
): Run[] {
  const runs: Run[] = []
  for (const [at, { kind }] of messages.entries()) {
    const { userId, hasExplicitUserId: isKnown } = users[at]!
    let run = runs.at(-1)
    if (!run || run.kind !== kind || run.isKnown !== isKnown) {
      run = { kind, isKnown, events: [], userIds: [] }
      runs.push(run)
    }
    run.events.push(events[at]!)
    run.userIds.push(userId)
  }
  return runs
}

function ingestRun({ kind, isKnown, events, userIds }: Run, call: EdgeCall, receivedAt: number): IngestedBody {
  const caller = { userId: userIds[0]!, hasExplicitUserId: isKnown }
  const source = {
    ...ingestSource(call, caller, receivedAt),
    ...(kind && { kind }),
    ...(isKnown && events.length > 1 && { userIds }),
  }
  return ingestParsed({ read: { isArray: true, events } }, source, call.edge.deps)
}
