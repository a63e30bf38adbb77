import type { RequestParams, RequestSpec } from '#provider/form/request.ts'
import { formEncode } from './formEncode.ts'
import { signatureHeaders } from './signature.ts'
import type { WireRequest } from './wireRequest.ts'

/** Encodes a query or a form: `a=1&b=%3F`. */
function encoded(members: RequestParams): string {
  const pairs: string[] = []
  for (const key in members)
    if (members[key] !== undefined) pairs.push(`${formEncode(key)}=${formEncode(String(members[key]))}`)
  return pairs.join('&')
}

function withQuery(url: string, query: RequestParams | undefined): string {
  const added = query && encoded(query)
  if (!added) return url
  const [path, fragment] = url.split('#', 2)
  return `${path}${path!.includes('?') ? '&' : '?'}${added}${fragment ? `#${fragment}` : ''}`
}

function bodyOf({ json, form, text }: RequestSpec): { body?: string; type?: string } {
  if (json !== undefined) return { body: JSON.stringify(json), type: 'application/json' }
  if (form) return { body: encoded(form), type: 'application/x-www-form-urlencoded' }
  return text === undefined ? {} : { body: text, type: 'text/plain' }
}

/** Without characters that a header value cannot hold: visitors control the user agent. */
const headerText = (value: string) => value.replace(/[^\t\x20-\x7e]/g, '').trim()

/** Encodes and signs a request. `now` (epoch ms): the time of the signature. */
export function toWireRequest(spec: RequestSpec, now: number): WireRequest {
  const { body, type } = bodyOf(spec)
  const headers: Record<string, string> = type ? { 'content-type': type } : {}
  for (const [name, value] of Object.entries(spec.headers ?? {}))
    if (value !== undefined) headers[name.toLowerCase()] = headerText(value)
  const request = {
    method: spec.method ?? (body === undefined ? 'GET' : 'POST'),
    url: withQuery(spec.url, spec.query),
    headers,
    ...(body !== undefined && { body }),
  }
  return spec.sign
    ? { ...request, headers: { ...request.headers, ...signatureHeaders(request, spec.sign, now) } }
    : request
}
