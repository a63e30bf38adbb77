import type { Exchange } from '#contract/journey.ts'
import { mark, type Redact, redactAll } from '#provider/engine/redaction.ts'
import type { SendResult } from '#provider/engine/send.ts'
import { withoutEchoes } from '#provider/engine/sharedMessage.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import { type EncodedExchange, encodeExchange, oneByteMark } from './encodedExchange.ts'

const maxBodyLength = 64 * 1024
/**
 * Bodies are redacted with this many characters beyond the limit, so that a secret across the limit is redacted as a
 * whole.
 */
const redactionMargin = 4 * 1024

/** Signatures are derived from secrets without containing them. Their headers are recognised by name. */
const secretHeaderName = /auth|cookie|token|key|secret|signature|password|credential|session/i
const publicHeaderName =
  /^(content-type|date|location|retry-after|server|www-authenticate)$|request-?id|trace|rate-?limit/

const maxCachedNames = 1_000

/** Tests names against a pattern and caches the results, because names repeat. */
function cachedNameTest(pattern: RegExp): (name: string) => boolean {
  const cache = new Map<string, boolean>()
  return (name) => {
    const cached = cache.get(name)
    if (cached !== undefined) return cached
    const matches = pattern.test(name)
    if (cache.size < maxCachedNames) cache.set(name, matches)
    return matches
  }
}
const isSecretHeader = cachedNameTest(secretHeaderName)
const isPublicHeader = cachedNameTest(publicHeaderName)

type HeaderValues = Readonly<Record<string, string>>

function publicHeaders(headers: HeaderValues): HeaderValues {
  const shown: Record<string, string> = {}
  for (const name in headers) if (isPublicHeader(name)) shown[name] = headers[name]!
  return shown
}

const unsharedHeaders = (headers: HeaderValues, sent: WireRequest): HeaderValues =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, withoutEchoes(value, sent)]))

const truncateBody = (body: string) => body.slice(0, maxBodyLength + redactionMargin)

/** A redacted body of at most `maxBodyLength` characters once it is encoded. */
const shorten = (body: string) =>
  body.length * mark.length <= maxBodyLength ? body : body.replaceAll(oneByteMark, mark).slice(0, maxBodyLength)

/** Adds the values of headers that are recorded after redaction. */
function addRedactable(texts: string[], headers: HeaderValues): void {
  for (const name in headers) if (!isSecretHeader(name)) texts.push(headers[name]!)
}

/**
 * The redacted request and response, encoded. `isBatch`: the call has events of several users, so its bodies are omitted, and
 * response headers that repeat parts of the request.
 */
export function redactExchange(
  sent: WireRequest,
  answer: SendResult | undefined,
  redact: Redact,
  isBatch = false,
): EncodedExchange {
  const { method, url, headers, body = '' } = sent
  const received = answer && 'status' in answer ? answer : undefined
  const responseHeaders = publicHeaders(received?.headers ?? {})
  const ofResponse = isBatch ? unsharedHeaders(responseHeaders, sent) : responseHeaders
  const texts = [url, isBatch ? '' : truncateBody(body), isBatch ? '' : truncateBody(received?.body ?? '')]
  addRedactable(texts, headers)
  addRedactable(texts, ofResponse)
  const [address = '', requestBody = '', responseBody = '', ...values] = redactAll(texts, redact, oneByteMark)
  let next = 0
  const redactHeaders = (original: HeaderValues) => {
    const shown: Record<string, string> = {}
    for (const name in original) shown[name] = isSecretHeader(name) ? oneByteMark : values[next++]!
    return shown
  }
  const exchange: Exchange = { request: { method, url: address, headers: redactHeaders(headers) } }
  if (requestBody) exchange.request.body = shorten(requestBody)
  if (!received) return encodeExchange(exchange)
  exchange.response = { status: received.status, headers: redactHeaders(ofResponse) }
  if (responseBody) exchange.response.body = shorten(responseBody)
  return encodeExchange(exchange)
}
