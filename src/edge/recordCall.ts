import type { IncomingMessage } from 'node:http'
import type { Fault } from '#contract/fault.ts'
import type { SeenCaller } from '#contract/intake.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { Edge, EdgeCall } from './edge.ts'

const maxLength = 200
const calls: ReadonlyMap<string, SeenCaller['call']> = new Map([
  ['/load', 'load'],
  ['/init', 'init'],
  ['/tag', 'tag'],
])

const originOf = (url: string | undefined) => (URL.canParse(url ?? '') ? new URL(url!).origin : undefined)
const hostOf = (origin: string) => (origin.length <= maxLength ? new URL(origin).host : undefined)

/** Records the caller of an answered call: the page's host if it belongs to the tag, or a server. */
export function recordCaller({ edge, tag, request, path }: EdgeCall, sdkVersion?: string): void {
  const call = calls.get(path)
  if (!call) return
  // A script tag sends no Origin.
  const origin = request.headers.origin ?? (call === 'load' ? originOf(request.headers.referer) : undefined)
  const host = origin !== undefined && edge.originTest(tag)(origin) ? hostOf(origin) : undefined
  edge.deps.intakeLog.addCaller(tag.tagId, {
    call,
    ...(host !== undefined && { host }),
    ...(sdkVersion !== undefined && { sdkVersion }),
  })
}

/** The field that a fault is about, if it has the form of a field path. */
function fieldOf({ attributes }: Fault): string | undefined {
  const issues = attributes?.issues as readonly { path?: unknown }[] | undefined
  const path = issues?.[0]?.path
  return typeof path === 'string' && /^\w[\w.]{0,99}$/.test(path) ? path : undefined
}

/** Masks path segments that may be an id or a name of a person. The id of a webhook's script is not masked. */
const isPlainSegment = (segment: string) => /^(?:[a-z][a-z._-]{0,30}\d{0,2}|scr_[0-9a-z]{26})?$/.test(segment)
const shownPath = (path: string) =>
  path
    .slice(0, maxLength)
    .split('/')
    .map((segment) => (isPlainSegment(segment) ? segment : '•••'))
    .join('/')

/** Records a refused call of a tag, without values of its body and query. */
export function recordRefusal(
  { deps }: Edge,
  { tag, path }: { tag: Pick<Snapshot, 'tagId'>; path: string },
  { method = '', headers }: IncomingMessage,
  problem: Fault,
): void {
  const { origin } = headers
  const field = fieldOf(problem)
  deps.intakeLog.addRefusal(tag.tagId, {
    code: problem.code,
    method: method.slice(0, maxLength),
    path: shownPath(path),
    ...(origin !== undefined && { origin: origin.slice(0, maxLength) }),
    ...(field !== undefined && { field }),
  })
}
