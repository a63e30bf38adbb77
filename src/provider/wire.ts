import type { Members, Send } from './provider.ts'
import type { WireRequest } from './send.ts'
import { signed } from './sign.ts'

const present = (members: Members = {}): [string, string][] =>
  Object.entries(members).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]))

function withQuery(url: string, query: Members | undefined): string {
  const added = new URLSearchParams(present(query)).toString()
  if (!added) return url
  const [path, fragment] = url.split('#', 2)
  return `${path}${path!.includes('?') ? '&' : '?'}${added}${fragment ? `#${fragment}` : ''}`
}

function bodyOf({ json, form, text }: Send): { body?: string; type?: string } {
  if (json !== undefined) return { body: JSON.stringify(json), type: 'application/json' }
  if (form) return { body: new URLSearchParams(present(form)).toString(), type: 'application/x-www-form-urlencoded' }
  return text === undefined ? {} : { body: text, type: 'text/plain' }
}

/** What cannot stand in a header is left out of it: a visitor names the browser as he likes. */
const headerText = (value: string) => value.replace(/[^\t\x20-\x7e]/g, '').trim()

/** A description as it goes over the wire. `now` (epoch ms) is the time of a signature. */
export function wireOf(send: Send, now: number): WireRequest {
  const { body, type } = bodyOf(send)
  const given = present(send.headers).map(([name, value]) => [name.toLowerCase(), headerText(value)] as const)
  const request = {
    method: send.method ?? (body === undefined ? 'GET' : 'POST'),
    url: withQuery(send.url, send.query),
    headers: { ...(type && { 'content-type': type }), ...Object.fromEntries(given) },
    ...(body !== undefined && { body }),
  }
  return send.sign ? { ...request, headers: { ...request.headers, ...signed(request, send.sign, now) } } : request
}
