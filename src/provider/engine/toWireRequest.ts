import type { RequestParams, RequestSpec } from '#provider/form/request.ts'
import { encodeBody, encodeParams } from './encodeBody.ts'
import { signatureHeaders } from './signature.ts'
import type { WireRequest } from './wireRequest.ts'

function withQuery(url: string, query: RequestParams | undefined): string {
  const added = query && encodeParams(query)
  if (!added) return url
  const [path, fragment] = url.split('#', 2)
  return `${path}${path!.includes('?') ? '&' : '?'}${added}${fragment ? `#${fragment}` : ''}`
}

/** Without characters that a header value cannot hold: visitors control the user agent. */
const headerText = (value: string) => value.replace(/[^\t\x20-\x7e]/g, '').trim()

/** Encodes and signs a request. `now` (epoch ms): the time of the signature. */
export function toWireRequest(spec: RequestSpec, now: number): WireRequest {
  const { body, contentType } = encodeBody(spec)
  const headers: Record<string, string> = contentType ? { 'content-type': contentType } : {}
  if (spec.gzip && body !== undefined) headers['content-encoding'] = 'gzip'
  for (const [name, value] of Object.entries(spec.headers ?? {}))
    if (value !== undefined) headers[name.toLowerCase()] = headerText(value)
  const request = {
    method: spec.method ?? (body === undefined ? 'GET' : 'POST'),
    url: withQuery(spec.url, spec.query),
    headers,
    ...(body !== undefined && { body }),
    ...(spec.gzip && body !== undefined && { gzip: true as const }),
  }
  return spec.sign
    ? { ...request, headers: { ...request.headers, ...signatureHeaders(request, spec.sign, now) } }
    : request
}
