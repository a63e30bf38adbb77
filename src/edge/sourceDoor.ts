import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { fault } from '#contract/fault.ts'
import { eventLimits } from '#event/eventLimits.ts'
import type { Snapshot } from '#script/snapshot.ts'
import { sourceAt } from '#sources/allSources.ts'
import type { Source, SourceRequest, SourceResult } from '#sources/source.ts'
import { beginAppend, finishAppend, ingestMessages, refuseRejected } from './appendSourceEvents.ts'
import { authoriseSource, isKeyOf } from './authoriseSource.ts'
import type { Edge, EdgeCall } from './edge.ts'
import { receiveRawBody } from './receiveBody.ts'
import { countBodyBytes, preflightHeaders, refuseWhenBusy } from './requestGuards.ts'
import { seenTagUrl } from './seenTagUrl.ts'
import { sendJson } from './sendAnswer.ts'
import { receiveShopWebhook } from './shopWebhook.ts'

type SourceRoute = {
  raw: (call: EdgeCall, response: ServerResponse, headers: OutgoingHttpHeaders) => Promise<void>
}

/** The methods of an address of a source that is enabled for the tag. Undefined for any other address. */
export function sourceMethods(path: string, tag: Snapshot): { GET?: SourceRoute; POST?: SourceRoute } | undefined {
  const source = tag.sources && sourceAt(path, tag.sources)
  if (!source) return undefined
  const receive = source.webhook?.path === path ? receiveShopWebhook : receiveMessages
  const route: SourceRoute = { raw: (call, response, headers) => receive(source, call, response, headers) }
  return Object.fromEntries(source.methodsOf(path)!.map((method) => [method, route]))
}

type AddressedCall = Pick<EdgeCall, 'tag' | 'request' | 'path' | 'query'>

const requestOf = ({ request, path, query }: AddressedCall): SourceRequest => ({
  method: request.method ?? 'GET',
  path,
  query: new URLSearchParams(query),
  headers: request.headers,
})

/** The headers that a source adds to the answer to OPTIONS. */
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

/** Sends the settings that an SDK requests before its first event. Throws notFound for a key that is not the tag's. */
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
  // a shared cache may only keep responses that are equal for all callers of this URL
  const isPublic = isKeyInUrl && key === tag.tagId
  headers['cache-control'] = isPublic ? 'public, max-age=300' : 'private, max-age=300'
  headers.vary = 'Origin, X-Forwarded-Prefix'
  sendJson(response, 200, JSON.stringify(settings), headers)
}

/** Accepts the messages of a request. Answers when all are on disk. */
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
  // a key in the body is only known after the body has been read; a page needs no key
  const mayBeInBody = source.parse && key === undefined && request.headers.origin === undefined
  const trusted = mayBeInBody ? false : await authoriseSource(key, received)
  edge.deps.intakeRate.takeCall(tag, trusted)
  const countBytes = countBodyBytes(received, response)
  const hasBody = sourceRequest.method === 'POST'
  const { bytes } = hasBody ? await receiveRawBody(request, eventLimits.bodyBytes, countBytes) : noBody
  const take = () => takeMessages(source, { ...received, trusted }, { ...sourceRequest, body: bytes }, key)
  // HEAD requests the headers of an answer and sends no events
  const results = sourceRequest.method === 'HEAD' ? [] : await take()
  const { status, headers: own, body = '' } = source.answer(results, sourceRequest)
  const type = typeof body === 'string' && body !== '' ? { 'content-type': 'application/json; charset=utf-8' } : {}
  const length = status === 204 ? {} : { 'content-length': Buffer.byteLength(body) }
  const safe = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
  response.writeHead(status, { ...headers, ...safe, ...type, ...length, ...own }).end(body)
}

/** `key`: from the request without its body. */
async function takeMessages(
  source: Source,
  received: EdgeCall,
  request: BodyRequest,
  key: string | undefined,
): Promise<SourceResult[]> {
  const { call, ...begun } = await beforeCommit(source, received, request, key)
  return finishAppend(begun, call)
}

/**
 * The steps before the commit. In a separate function, so that messages and events are garbage when it ends, as in
 * edge/ingest.ts.
 */
async function beforeCommit(source: Source, received: EdgeCall, request: BodyRequest, key: string | undefined) {
  const { brand, clock } = received.edge.deps
  const parsed = source.parse?.(request.body)
  const isInBody = parsed && key === undefined && request.headers.origin === undefined
  const trusted = isInBody ? await authoriseSource(parsed.key, received) : received.trusted
  const call = { ...received, trusted }
  const hasOtherKey = key !== undefined && parsed?.key !== undefined && parsed.key !== key
  const receivedAt = clock.now()
  const messages = source.read({ ...request, trusted, brand, receivedAt, payload: parsed?.payload, hasOtherKey })
  const { hasEncodedJson } = source
  const read = ingestMessages(messages, call, { receivedAt, body: request.body, hasEncodedJson })
  refuseRejected(read, call)
  return { drafts: read.drafts, appending: beginAppend(read, call), call }
}
