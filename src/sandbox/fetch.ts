import type { SendRequest } from '#provider/engine/send.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import type { FetchAnswer, FetchRequest } from './job.ts'
import { limits } from './limits.ts'

const maxRedirects = 3

/** Headers that carry the message itself, or that Aglet sets. */
const ownHeaders =
  /^(host|connection|content-length|transfer-encoding|te|trailer|upgrade|keep-alive|expect|proxy-.*|x-aglet-.*)$/i
const forOneOrigin = /^(authorization|cookie)$/i
const ofABody = /^content-/i

/** What a customer's code asks for, in the one form that is allowed. Throws a sentence. */
export function readFetch(value: unknown): FetchRequest {
  const { url, method, headers, body, redirect } = Object(value) as Record<string, unknown>
  const isPair = (pair: unknown) =>
    Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === 'string')
  const isGood =
    typeof url === 'string' &&
    /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/.test(`${method}`) &&
    Array.isArray(headers) &&
    headers.every(isPair) &&
    (body === null || typeof body === 'string') &&
    /^(follow|error|manual)$/.test(`${redirect}`)
  if (!isGood) throw new Error('The request cannot be read')
  if (body && Buffer.byteLength(body) > limits.fetchBytes) throw new Error('The body is larger than 1 MiB')
  return value as FetchRequest
}

const wireOf = ({ url, method, headers, body }: FetchRequest): WireRequest => ({
  url,
  method,
  headers: Object.fromEntries(
    headers.filter(([name]) => !ownHeaders.test(name)).map(([name, value]) => [name.toLowerCase(), value]),
  ),
  ...(body !== null && { body }),
})

/** Where a redirect leads, by the rules of fetch; undefined where the answer is none. */
export function redirected(
  request: WireRequest,
  status: number,
  location: string | undefined,
): WireRequest | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined
  const url = URL.parse(location, request.url)
  if (!url) return undefined
  const isSameOrigin = url.origin === new URL(request.url).origin
  const becomesGet = (status === 303 && request.method !== 'HEAD') || (status < 303 && request.method === 'POST')
  const kept = Object.entries(request.headers).filter(
    ([name]) => (isSameOrigin || !forOneOrigin.test(name)) && !(becomesGet && ofABody.test(name)),
  )
  return {
    url: url.href,
    method: becomesGet ? 'GET' : request.method,
    headers: Object.fromEntries(kept),
    ...(!becomesGet && request.body !== undefined && { body: request.body }),
  }
}

/**
 * `fetch` of a customer's code: each hop goes through the outbound guard, at most three redirects. `send` has the limits of
 * time and size. Throws a sentence that names no address.
 */
export const guardedFetch =
  (send: SendRequest) =>
  async (asked: FetchRequest): Promise<FetchAnswer> => {
    const until = performance.now() + limits.fetchMs
    let request: WireRequest | undefined = wireOf(asked)
    for (let hop = 0; request && hop <= maxRedirects && performance.now() < until; hop++) {
      const answer = await send(request, 'customer')
      if ('failed' in answer) throw new Error(answer.message)
      if (Buffer.byteLength(answer.body) > limits.fetchBytes) throw new Error('The answer is larger than 1 MiB')
      const next = redirected(request, answer.status, answer.headers.location)
      if (!next || asked.redirect === 'manual')
        return { url: request.url, status: answer.status, headers: answer.headers, body: answer.body }
      if (asked.redirect === 'error') throw new Error('The answer was a redirect')
      request = next
    }
    throw new Error('There were too many redirects, or they took too long')
  }

/** For `openSender`: one byte more than may be read tells that there was too much. */
export const fetchLimits = {
  totalMs: limits.fetchMs,
  headersMs: limits.fetchMs,
  readBytes: limits.fetchBytes + 1,
  keptBytes: limits.fetchBytes + 1,
} as const
