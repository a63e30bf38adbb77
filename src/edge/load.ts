import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import Negotiator from 'negotiator'
import { fault } from '#contract/fault.ts'
import type { Call } from './edge.ts'
import type { Packed } from './shelf.ts'

/** What is built anew under the same address is seen by pages after five minutes. */
const fresh = 'public, max-age=300, stale-while-revalidate=86400'
const forEver = 'public, max-age=31536000, immutable'

/**
 * `GET /load`: the SDK with the browser modules of the tag's live scripts. `?version=` names one of the manifest's,
 * which never changes; `&module=` one module of it. Throws notFound.
 */
export function giveSdk(
  { edge, tag, request, query }: Call,
  response: ServerResponse,
  headers: OutgoingHttpHeaders,
): void {
  const asked = new URLSearchParams(query)
  const shelved = edge.sdk({
    version: asked.get('version') ?? undefined,
    preferred: tag.sdkVersion,
    module: asked.get('module') ?? undefined,
    providers: tag.scripts.map(({ providerId }) => providerId),
  })
  if (!shelved) throw fault('notFound')
  const { body, etag, encoding } = chosen(shelved.packed, request)
  headers.vary = 'Origin, Accept-Encoding'
  headers.etag = etag
  headers['cache-control'] = shelved.isPinned ? forEver : fresh
  headers['cross-origin-resource-policy'] = 'cross-origin'
  headers['x-content-type-options'] = 'nosniff'
  if (isKnown(etag, request)) {
    response.writeHead(304, headers).end()
    return
  }
  if (encoding) headers['content-encoding'] = encoding
  headers['content-type'] = 'text/javascript; charset=utf-8'
  headers['content-length'] = body.length
  response.writeHead(200, headers).end(body)
}

/** The smallest that the request takes; as it is where it takes none. */
function chosen(packed: readonly Packed[], request: IncomingMessage): Packed {
  const taken = new Negotiator(request).encodings(packed.map(({ encoding = 'identity' }) => encoding))
  return packed.find(({ encoding }) => encoding === undefined || taken.includes(encoding))!
}

const isKnown = (etag: string, { headers }: IncomingMessage) =>
  headers['if-none-match']?.split(',').some((each) => [etag, '*'].includes(each.trim().replace(/^W\//, ''))) ?? false
