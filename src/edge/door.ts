import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Fault, fault } from '#contract/fault.ts'
import { limits } from '#event/limits.ts'
import { hostName } from '#kit/hostName.ts'
import { spanned } from '#kit/trace.ts'
import type { Snapshot } from '#script/snapshot.ts'
import { answer, answerFault } from './answer.ts'
import { authorise } from './authorise.ts'
import { receiveBody } from './body.ts'
import { takeConsent } from './consent.ts'
import { readData, readKeys, takeData, takeUser } from './data.ts'
import { type Call, type Edge, openEdge } from './edge.ts'
import { holdBody, preflightHeaders, refuseLoop, refuseMethod, refuseOrigin, refuseWhenBusy } from './gate.ts'
import { takeInit } from './init.ts'
import { takeEvents } from './journey.ts'
import { giveSdk } from './load.ts'
import { isWebhook, runWebhook } from './webhook.ts'
import type { EdgeWorld } from './world.ts'

/** Answers a call with JSON text, and adds to `headers` what else goes on the answer. */
type Take = (call: Call, body: Buffer, headers: OutgoingHttpHeaders) => Promise<string>

/** Answers a call by itself, by what is no JSON of ours; who may make it and when, it says itself. */
type Give = (call: Call, response: ServerResponse, headers: OutgoingHttpHeaders) => void | Promise<void>
type Row = { take: Take } | { give: Give }

/** What is answered below a tag's URL. */
const calls: ReadonlyMap<string, { readonly GET?: Row; readonly POST?: Row }> = new Map([
  ['/tag', { POST: { take: takeEvents } }],
  ['/init', { GET: { take: takeInit } }],
  ['/user', { POST: { take: takeUser } }],
  ['/data', { POST: { take: takeData }, GET: { take: readData } }],
  ['/keys', { GET: { take: readKeys } }],
  ['/consent', { POST: { take: takeConsent } }],
  ['/load', { GET: { give: giveSdk } }],
])

const webhook: { readonly GET?: Row; readonly POST?: Row } = { POST: { give: runWebhook } }

const noBody = Buffer.alloc(0)

/**
 * Answers everything below the tag URLs of these environments, and everything on the tags' own host names. False when the
 * address is not the edge's: then nothing has been done, and somebody else may answer.
 */
export function edgeDoor(worlds: readonly EdgeWorld[]) {
  const edges = worlds.map(openEdge)
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const url = request.url ?? ''
    const host = hostName(request.headers.host)
    for (const edge of edges) {
      const tag = edge.on.snapshots.ofHost(host)
      if (!tag) continue
      void serve(edge, addressOn(tag, url), request, response)
      return true
    }
    for (const edge of edges) {
      if (!url.startsWith(edge.on.prefix)) continue
      void serve(edge, addressBelow(edge, url), request, response)
      return true
    }
    return false
  }
}

async function serve(
  edge: Edge,
  address: Address | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const headers: OutgoingHttpHeaders = { vary: 'Origin' }
  try {
    if (!address) throw fault('tagUnknown')
    const { tag, tagPath, path, query } = address
    const isListed = refuseOrigin(edge.originTest(tag), request, headers)
    const call = calls.get(path) ?? (isWebhook(path) ? webhook : undefined)
    if (!call) throw fault('notFound')
    const methods = Object.keys(call).join(', ')
    if (request.method === 'OPTIONS') {
      response.writeHead(204, { ...headers, ...preflightHeaders(methods, edge) }).end()
      return
    }
    refuseMethod(methods, request)
    refuseLoop(request)
    const row = call[request.method as keyof typeof call]!
    if ('give' in row) {
      await row.give({ edge, tag, request, path, query, tagPath, trusted: false }, response, headers)
      return
    }
    const isGet = request.method === 'GET'
    if (!isGet) refuseWhenBusy(edge)
    const trusted = 'authorization' in request.headers && (await authorise(request.headers, tag, edge.on.authenticate))
    if (tag.serverToken === 'required' && !isListed && !trusted) throw fault('serverTokenRequired')
    edge.on.intakeRate.takeCall(tag, trusted)
    if (isGet) headers['cache-control'] = 'no-store'
    const body = isGet ? noBody : await receiveBody(request, limits.bodyBytes, holdBody(edge, response))
    const take = () => row.take({ edge, tag, request, path, query, tagPath, trusted }, body, headers)
    answer(response, 200, await spanned(path, { 'aglet.tag': tag.tagId }, take), headers)
  } catch (error) {
    answerFault(request, response, faultOf(error, edge), headers)
  }
}

/** Which call of which tag. `tagPath` is the path of the tag's URL, empty on a host name of its own. */
type Address = { tag: Snapshot; tagPath: string; path: string; query: string }

/** Takes an address on a tag's host name apart: path + `?` + query. */
function addressOn(tag: Snapshot, url: string): Address {
  const question = url.indexOf('?')
  const end = question < 0 ? url.length : question
  return { tag, tagPath: '', path: url.slice(0, end), query: url.slice(end + 1) }
}

/** The same below a prefix: `/t/` + tagId + path + `?` + query. Undefined where there is no such tag. */
function addressBelow({ on }: Edge, url: string): Address | undefined {
  const question = url.indexOf('?')
  const end = question < 0 ? url.length : question
  const slash = url.indexOf('/', on.prefix.length)
  const pathAt = slash < 0 ? end : Math.min(slash, end)
  const tag = on.snapshots.get(url.slice(on.prefix.length, pathAt))
  return tag && { tag, tagPath: url.slice(0, pathAt), path: url.slice(pathAt, end), query: url.slice(end + 1) }
}

/** What is no fault of the caller is a bug of ours: told in the log, and to the caller only that it happened. */
function faultOf(error: unknown, edge: Edge): Fault {
  const problem = error instanceof Fault ? error : fault('internal')
  if (error !== problem) edge.on.log({ level: 'error', message: 'a call of the edge failed', error })
  edge.refused(problem.code).add()
  return problem
}
