import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import Negotiator from 'negotiator'
import { adapterNames } from '#contract/adapterNames.ts'
import type { CaptureBeforeConsent, TagSettingsResponse } from '#contract/edgeResponses.ts'
import { fault } from '#contract/fault.ts'
import { matchesEtag } from '#kit/etag.ts'
import type { EdgeCall } from './edge.ts'
import { recordCaller } from './recordCall.ts'
import type { EncodedAsset, SdkAdapters } from './sdkAssets.ts'
import { sendJson } from './sendAnswer.ts'

/** Pages get a new build at the same URL after five minutes. */
const shortCache = 'public, max-age=300, stale-while-revalidate=86400'
const immutableCache = 'public, max-age=31536000, immutable'

/**
 * `GET /load`: the SDK with the browser modules of the tag's deployed scripts. `?version=` selects a version of the
 * manifest, whose response never changes; `&module=` selects one module of it. `?adapters=` replaces the adapters of
 * the tag. `?settings=true` returns the settings that an SDK needs before its first request; none of them concerns
 * the visitor. Throws notFound.
 */
export function getSdk(call: EdgeCall, response: ServerResponse, headers: OutgoingHttpHeaders): void {
  const { edge, tag, request, query } = call
  const params = new URLSearchParams(query)
  headers['cross-origin-resource-policy'] = 'cross-origin'
  headers['x-content-type-options'] = 'nosniff'
  if (params.get('settings') === 'true') {
    const settings: TagSettingsResponse = { captureBeforeConsent: captureMode(tag) }
    headers['cache-control'] = shortCache
    sendJson(response, 200, JSON.stringify(settings), headers)
    return
  }
  const asset = edge.sdk({
    version: params.get('version') ?? undefined,
    preferred: tag.sdkVersion,
    module: params.get('module') ?? undefined,
    providers: tag.scripts.map(({ providerId }) => providerId),
    captureBeforeConsent: captureMode(tag),
    adapters: adaptersOf(tag, params.get('adapters')),
  })
  if (!asset) throw fault('notFound')
  recordCaller(call, asset.version)
  const { body, etag, encoding } = chooseEncoding(asset.encoded, request)
  headers.vary = 'Origin, Accept-Encoding'
  headers.etag = etag
  headers['cache-control'] = asset.isPinned ? immutableCache : shortCache
  if (isCached(etag, request)) {
    response.writeHead(304, headers).end()
    return
  }
  if (encoding) headers['content-encoding'] = encoding
  headers['content-type'] = 'text/javascript; charset=utf-8'
  headers['content-length'] = body.length
  response.writeHead(200, headers).end(body)
}

/** If the tag requires no consent, capturing does not wait for one. */
const captureMode = ({ consent, captureBeforeConsent = 'all' }: EdgeCall['tag']): CaptureBeforeConsent =>
  consent === 'disabled' ? 'all' : captureBeforeConsent

/** The known adapters that the URL names, in their usual order; else the tag's adapters. */
function adaptersOf(
  { adapters = [], primaryAdapter, passEventId }: EdgeCall['tag'],
  named: string | null,
): SdkAdapters {
  const settings = { primary: primaryAdapter, passEventId }
  if (named === null) return { ...settings, names: adapters }
  const wanted = new Set(named.split(',').filter(Boolean))
  const names = adapterNames.filter((name) => wanted.delete(name))
  return { ...settings, names, isByUrl: true, hasUnknown: wanted.size > 0 }
}

/** The smallest encoding that the request accepts; else the plain text. */
function chooseEncoding(encoded: readonly EncodedAsset[], request: IncomingMessage): EncodedAsset {
  const accepted = new Negotiator(request).encodings(encoded.map(({ encoding = 'identity' }) => encoding))
  return encoded.find(({ encoding }) => encoding === undefined || accepted.includes(encoding))!
}

const isCached = (etag: string, { headers }: IncomingMessage) => matchesEtag(etag, headers['if-none-match'])
