import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Fault, fault } from '#contract/fault.ts'
import { limits } from '#event/limits.ts'
import { spanned } from '#kit/trace.ts'
import { answer, answerFault } from './answer.ts'
import { authorise } from './authorise.ts'
import { receiveBody } from './body.ts'
import { type Call, type Edge, openEdge } from './edge.ts'
import { preflightHeaders, refuseMethod, refuseOrigin, refuseWhenBusy } from './gate.ts'
import { takeEvents } from './journey.ts'
import type { EdgeWorld } from './world.ts'

/** Answers a call with JSON text, and adds to `headers` what else goes on the answer. */
type Take = (call: Call, body: Buffer, headers: OutgoingHttpHeaders) => Promise<string>

/** What is answered below a tag's URL. */
const calls: ReadonlyMap<string, { method: string; take: Take }> = new Map([
  ['/tag', { method: 'POST', take: takeEvents }],
])

/**
 * Answers everything below the tag URLs of these environments. False when the address is not the edge's: then nothing
 * has been done, and somebody else may answer.
 */
export function edgeDoor(worlds: readonly EdgeWorld[]) {
  const edges = worlds.map(openEdge)
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const url = request.url ?? ''
    for (const edge of edges) {
      if (!url.startsWith(edge.on.prefix)) continue
      void serve(edge, url, request, response)
      return true
    }
    return false
  }
}

async function serve(edge: Edge, url: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const headers: OutgoingHttpHeaders = { vary: 'Origin' }
  try {
    const { tag, tagPath, path, query } = tagAt(edge, url)
    const isListed = refuseOrigin(edge.originTest(tag), request, headers)
    const call = calls.get(path)
    if (!call) throw fault('notFound')
    if (request.method === 'OPTIONS') {
      response.writeHead(204, { ...headers, ...preflightHeaders(call.method, edge) }).end()
      return
    }
    refuseMethod(call.method, request)
    refuseWhenBusy(edge)
    const trusted = 'authorization' in request.headers && (await authorise(request.headers, tag, edge.on.authenticate))
    if (tag.serverToken === 'required' && !isListed && !trusted) throw fault('serverTokenRequired')
    const body = await receiveBody(request, limits.bodyBytes)
    const take = () => call.take({ edge, tag, request, query, tagPath, trusted }, body, headers)
    answer(response, 200, await spanned(path, { 'aglet.tag': tag.tagId }, take), headers)
  } catch (error) {
    answerFault(request, response, faultOf(error, edge), headers)
  }
}

/** Takes a tag's address apart: `/t/` + tagId + path + `?` + query. Throws tagUnknown. */
function tagAt({ on }: Edge, url: string) {
  const question = url.indexOf('?')
  const end = question < 0 ? url.length : question
  const slash = url.indexOf('/', on.prefix.length)
  const pathAt = slash < 0 ? end : Math.min(slash, end)
  const tag = on.snapshots.get(url.slice(on.prefix.length, pathAt))
  if (!tag) throw fault('tagUnknown')
  return { tag, tagPath: url.slice(0, pathAt), path: url.slice(pathAt, end), query: url.slice(end + 1) }
}

/** What is no fault of the caller is a bug of ours: told in the log, and to the caller only that it happened. */
function faultOf(error: unknown, edge: Edge): Fault {
  const problem = error instanceof Fault ? error : fault('internal')
  if (error !== problem) edge.on.log({ level: 'error', message: 'a call of the edge failed', error })
  edge.refused(problem.code).add()
  return problem
}
