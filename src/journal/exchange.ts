import type { Exchange } from '#contract/journey.ts'
import { type Redact, redactAll } from '#provider/engine/redaction.ts'
import type { SendResult } from '#provider/engine/send.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'

const keptLength = 64 * 1024
/** What stands across the cut is taken out before it is cut. */
const margin = 4 * 1024

/** What signs a request is derived from secrets, and bears none of them: it is known by its name. */
const secretName = /auth|cookie|token|key|secret|signature|password|credential|session/i
const toldName = /^(content-type|date|location|retry-after|server|www-authenticate)$|request-?id|trace|rate-?limit/

const mostNames = 1_000

/** What a pattern says of a name; the same names come again and again. */
function byName(pattern: RegExp): (name: string) => boolean {
  const known = new Map<string, boolean>()
  return (name) => {
    const found = known.get(name)
    if (found !== undefined) return found
    const fits = pattern.test(name)
    if (known.size < mostNames) known.set(name, fits)
    return fits
  }
}
const isSecret = byName(secretName)
const isTold = byName(toldName)

type Headers = Readonly<Record<string, string>>

const told = (headers: Headers): Headers => Object.fromEntries(Object.entries(headers).filter(([name]) => isTold(name)))

const begun = (body: string) => body.slice(0, keptLength + margin)

/** The values of headers that may be told. */
const values = (headers: Headers) => Object.entries(headers).flatMap(([name, value]) => (isSecret(name) ? [] : [value]))

/** What went out and what came back, as it may be kept. `ofMany`: of a call for several people, the bodies are left out. */
export function exchangeOf(
  { method, url, headers, body = '' }: WireRequest,
  answer: SendResult | undefined,
  redact: Redact,
  ofMany = false,
): Exchange {
  const came = answer && 'status' in answer ? answer : undefined
  const [sent, back] = [headers, told(came?.headers ?? {})]
  const texts = [
    url,
    ofMany ? '' : begun(body),
    ofMany ? '' : begun(came?.body ?? ''),
    ...values(sent),
    ...values(back),
  ]
  const [address = '', request = '', response = '', ...lines] = redactAll(texts, redact)
  const next = (of: Headers) =>
    Object.fromEntries(Object.keys(of).map((name) => [name, isSecret(name) ? '•••' : lines.shift()!]))
  const kept = (text: string) => (text === '' ? {} : { body: text.slice(0, keptLength) })
  const out = { method, url: address, headers: next(sent), ...kept(request) }
  return { request: out, ...(came && { response: { status: came.status, headers: next(back), ...kept(response) } }) }
}
