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

/** Removes characters that a header value cannot contain: visitors control the user agent. */
const headerText = (value: string) => value.replace(/[^\t\x20-\x7e]/g, '').trim()

/** Encodes and signs a request. `now` (epoch ms): the time of the signature. */
export function toWireRequest(spec: RequestSpec, now: number): WireRequest {
  const { body, contentType } = encodeBody(spec)
  const headers: Record<string, string> = contentType ? { 'content-type': contentType } : {}
  if (spec.gzip && body !== undefined) headers['content-encoding'] = 'gzip'
  for (const name in spec.headers) {
    const value = spec.headers[name]
    if (value !== undefined) headers[name.toLowerCase()] = headerText(value)
  }
  const method = spec.method ?? (body === undefined ? 'GET' : 'POST')
  const request: WireRequest = { method, url: withQuery(spec.url, spec.query), headers }
  if (body !== undefined) request.body = body
  if (spec.gzip && body !== undefined) request.gzip = true
  if (spec.sign) Object.assign(headers, signatureHeaders(request, spec.sign, now))
  return request
}
