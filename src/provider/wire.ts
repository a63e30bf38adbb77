import { Webhook } from 'standardwebhooks'
import type { Send } from './provider.ts'
import type { WireRequest } from './send.ts'

type Members = Readonly<Record<string, string | number | undefined>>

const present = (members: Members = {}): [string, string][] =>
  Object.entries(members).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]))

function withQuery(url: string, query: Members | undefined): string {
  const added = new URLSearchParams(present(query)).toString()
  if (!added) return url
  const [path, fragment] = url.split('#', 2)
  return `${path}${path!.includes('?') ? '&' : '?'}${added}${fragment ? `#${fragment}` : ''}`
}

function bodyOf({ json, form }: Send): { body?: string; type?: string } {
  if (json !== undefined) return { body: JSON.stringify(json), type: 'application/json' }
  if (form) return { body: new URLSearchParams(present(form)).toString(), type: 'application/x-www-form-urlencoded' }
  return {}
}

/** `whsec_` and base64 is a key by itself; any other text is taken as its own bytes. */
const keyOf = (secret: string) =>
  secret.startsWith('whsec_') ? new Webhook(secret) : new Webhook(Buffer.from(secret), { format: 'raw' })

/** An id that can stand in a header: what is not visible ASCII is percent-encoded. */
const headerId = (id: string) => id.toWellFormed().replace(/[^\x21-\x7e]/gu, encodeURIComponent)

function signature({ sign }: Send, body: string, now: number): Record<string, string> {
  if (!sign) return {}
  const id = headerId(sign.id)
  const at = new Date(now)
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now / 1000)),
    'webhook-signature': keyOf(sign.standardWebhooks).sign(id, at, body),
  }
}

/** A description as it goes over the wire. `now` (epoch ms) is the time of a signature. */
export function wireOf(send: Send, now: number): WireRequest {
  const { body, type } = bodyOf(send)
  const given = present(send.headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  return {
    method: send.method ?? (body === undefined ? 'GET' : 'POST'),
    url: withQuery(send.url, send.query),
    headers: {
      ...(type && { 'content-type': type }),
      ...Object.fromEntries(given),
      ...signature(send, body ?? '', now),
    },
    ...(body !== undefined && { body }),
  }
}
