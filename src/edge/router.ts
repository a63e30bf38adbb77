import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Fault, fault } from '#contract/fault.ts'
import { eventLimits } from '#event/eventLimits.ts'
import { hostName } from '#kit/hostName.ts'
import { setRoute } from '#kit/trace.ts'
import { toDatabaseFault } from '#postgres/databaseFault.ts'
import type { Snapshot } from '#script/snapshot.ts'
import { routeOfSource, takesOpaqueOrigin } from '#sources/allSources.ts'
import { authorise } from './authorise.ts'
import { postConsent } from './consent.ts'
import { type Edge, type EdgeCall, openEdge } from './edge.ts'
import type { EdgeDeps } from './edgeDeps.ts'
import { ingest } from './ingest.ts'
import { getInit } from './init.ts'
import { getSdk } from './load.ts'
import { getPreview } from './preview.ts'
import { receiveBody } from './receiveBody.ts'
import { recordCaller, recordRefusal } from './recordCall.ts'
import {
  countBodyBytes,
  methodFault,
  preflightHeaders,
  refuseBodyOfGet,
  refuseLoop,
  refuseOrigin,
  refuseWhenBusy,
} from './requestGuards.ts'
import { sendFault, sendJson } from './sendAnswer.ts'
import { sourceMethods, sourceOptions } from './sourceDoor.ts'
import { getData, getKeys, postData, postUser } from './userData.ts'
import { isWebhook, runWebhook } from './webhook.ts'

/** Returns the response as JSON text. Adds further response headers to `headers`. */
type JsonRoute = (call: EdgeCall, body: Buffer, headers: OutgoingHttpHeaders) => Promise<string>

/** Writes a response that is not JSON. Checks the token, the rate and overload itself. */
type RawRoute = (call: EdgeCall, response: ServerResponse, headers: OutgoingHttpHeaders) => void | Promise<void>
type Route = { json: JsonRoute } | { raw: RawRoute }
type Methods = { readonly GET?: Route; readonly POST?: Route }

/** The methods of an address below a tag's URL. Undefined for an unknown address. */
const methodsAt = (path: string, tag: Snapshot): Methods | undefined =>
  routes.get(path) ?? (isWebhook(path) ? webhook : sourceMethods(path, tag))

/** The routes below a tag's URL. */
const routes: ReadonlyMap<string, Methods> = new Map([
  ['/tag', { POST: { json: ingest } }],
  ['/init', { GET: { json: getInit } }],
  ['/user', { POST: { json: postUser } }],
  ['/data', { POST: { json: postData }, GET: { json: getData } }],
  ['/keys', { GET: { json: getKeys } }],
  ['/consent', { POST: { json: postConsent } }],
  ['/load', { GET: { raw: getSdk } }],
  ['/preview', { GET: { json: getPreview } }],
])

/** The value of the header Allow: HEAD is allowed where GET is (RFC 9110 §9.1). */
const allowedMethods = (methods: Methods): string =>
  Object.keys(methods)
    .map((method) => (method === 'GET' ? 'GET, HEAD' : method))
    .join(', ')

const webhook: Methods = { GET: { raw: runWebhook }, POST: { raw: runWebhook } }

const noBody = Buffer.alloc(0)

export type EdgeRouter = {
  /**
   * Handles every request below the tag URLs of the environments and on the tags' own host names. Returns false for any
   * other URL, without touching the response.
   */
  answer(request: IncomingMessage, response: ServerResponse): boolean
  /** Answers a request on an unknown host name: another process may have just assigned it to a tag. Otherwise 404. */
  answerUnknownHost(request: IncomingMessage, response: ServerResponse): Promise<void>
}

export function edgeRouter(environments: readonly EdgeDeps[]): EdgeRouter {
  const edges = environments.map(openEdge)
  const answer: EdgeRouter['answer'] = (request, response) => {
    const url = request.url ?? ''
    const host = hostName(request.headers.host)
    for (const edge of edges) {
      const tag = edge.deps.snapshots.byHost(host)
      if (!tag) continue
      void serve(edge, addressOn(edge, tag, url), request, response)
      return true
    }
    for (const edge of edges) {
      if (!url.startsWith(edge.deps.prefix)) continue
      void serve(edge, addressBelow(edge, url) ?? lateAddressBelow(edge, url), request, response)
      return true
    }
    return false
  }
  const answerUnknownHost: EdgeRouter['answerUnknownHost'] = async (request, response) => {
    const url = request.url ?? ''
    const host = hostName(request.headers.host)
    for (const edge of edges) {
      const late = edge.deps.late?.host(host)
      const found = late && (await late.catch((error) => ({ error })))
      if (!found) continue
      const address = 'error' in found ? Promise.reject(found.error) : addressOn(edge, found, url)
      return serve(edge, address, request, response)
    }
    sendFault(request, response, fault('notFound'), { connection: 'close' })
  }
  return { answer, answerUnknownHost }
}

async function serve(
  edge: Edge,
  found: Address | Promise<Address | undefined>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const beganAt = performance.now()
  const headers: OutgoingHttpHeaders = { vary: 'Origin' }
  let address: Address | undefined
  try {
    address = found instanceof Promise ? await found : found
    if (!address) throw fault('tagUnknown')
    const { tag, path, query, isOwnHost } = address
    const tagPath = edge.prefixOf(request) ?? address.tagPath
    const call: EdgeCall = { edge, tag, request, path, query, tagPath, isOwnHost, trusted: false, beganAt }
    const isListed = allowsOpaque(address, request, headers) || refuseOrigin(edge.originTest(tag), request, headers)
    const methods = methodsAt(path, tag)
    if (!methods) throw fault('notFound')
    setRoute(request, routeName(path))
    if (request.method === 'OPTIONS') {
      const preflight = { ...preflightHeaders(allowedMethods(methods), edge), ...sourceOptions(call, edge) }
      response.writeHead(204, { ...headers, ...preflight }).end()
      return
    }
    // node:http sends the headers of a response to HEAD and drops its body.
    const isGet = request.method === 'GET' || request.method === 'HEAD'
    const route = isGet ? methods.GET : request.method === 'POST' ? methods.POST : undefined
    if (!route) throw methodFault(allowedMethods(methods), request)
    if (isGet) refuseBodyOfGet(request)
    refuseLoop(request)
    if ('raw' in route) {
      await route.raw(call, response, headers)
      return
    }
    if (!isGet) refuseWhenBusy(call)
    if ('authorization' in request.headers) call.trusted = await authorise(request.headers, tag, edge.deps.authenticate)
    if (tag.serverToken === 'required' && !isListed && !call.trusted) throw fault('serverTokenRequired')
    edge.deps.intakeRate.takeCall(tag, call.trusted)
    if (isGet) headers['cache-control'] = 'no-store'
    const body = isGet ? noBody : await receiveBody(request, eventLimits.bodyBytes, countBodyBytes(call, response))
    const text = await route.json(call, body, headers)
    recordCaller(call)
    sendJson(response, 200, text, headers)
  } catch (error) {
    const problem = faultOf(error, edge)
    if (address) recordRefusal(edge, address, request, problem)
    sendFault(request, response, problem, headers)
  }
}

/**
 * True for a page with the opaque origin `null`, such as a sandboxed frame, at the address of a source that accepts
 * those.
 */
function allowsOpaque({ path, tag }: Address, request: IncomingMessage, headers: OutgoingHttpHeaders): boolean {
  if (request.headers.origin !== 'null' || !tag.sources || !takesOpaqueOrigin(path, tag.sources)) return false
  headers['access-control-allow-origin'] = '*'
  return true
}

const routeName = (path: string) => (isWebhook(path) ? '/webhook/{scriptId}' : routeOfSource(path))

/** A parsed URL. `tagPath`: its part before `path`. */
type Address = { tag: Snapshot; isOwnHost: boolean; tagPath: string; path: string; query: string }

/**
 * Parses a URL on a tag's own host name: path + `?` + query. A proxy that forwards a shop path to the tag URL keeps the
 * shop's host name, which may belong to the tag; the path of the tag URL is then skipped.
 */
function addressOn(edge: Edge, tag: Snapshot, url: string): Address {
  const below = url.startsWith(edge.deps.prefix) ? splitUrl(edge, url) : undefined
  if (below?.tagId === tag.tagId) return { tag, isOwnHost: true, ...below }
  const question = url.indexOf('?')
  const end = question < 0 ? url.length : question
  return { tag, isOwnHost: true, tagPath: '', path: url.slice(0, end), query: url.slice(end + 1) }
}

/** Parses a URL below the prefix: `/t/` + tagId + path + `?` + query. Undefined for an unknown tag. */
function addressBelow(edge: Edge, url: string): Address | undefined {
  const parts = splitUrl(edge, url)
  const tag = edge.deps.snapshots.get(parts.tagId)
  return tag && { tag, isOwnHost: false, ...parts }
}

/** The same for a tag that another process may have just created. Rejects with overloaded. */
async function lateAddressBelow(edge: Edge, url: string): Promise<Address | undefined> {
  const parts = splitUrl(edge, url)
  const tag = await edge.deps.late?.tag(parts.tagId)
  return tag && { tag, isOwnHost: false, ...parts }
}

function splitUrl({ deps }: Edge, url: string): Omit<Address, 'tag' | 'isOwnHost'> & { tagId: string } {
  const question = url.indexOf('?')
  const end = question < 0 ? url.length : question
  const slash = url.indexOf('/', deps.prefix.length)
  const pathAt = slash < 0 ? end : Math.min(slash, end)
  const tagId = url.slice(deps.prefix.length, pathAt)
  return { tagId, tagPath: url.slice(0, pathAt), path: url.slice(pathAt, end), query: url.slice(end + 1) }
}

/** Returns the error response. Logs an unexpected exception; the caller only gets INTERNAL without details. */
function faultOf(error: unknown, edge: Edge): Fault {
  const problem = error instanceof Fault ? error : (toDatabaseFault(error) ?? fault('internal'))
  if (error !== problem) edge.deps.log({ level: 'error', message: 'an edge request failed', error })
  edge.refused(problem.code).add()
  return problem
}
