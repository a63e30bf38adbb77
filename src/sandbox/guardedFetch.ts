import type { SendRequest } from '#provider/engine/send.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import type { FetchRequest, FetchResponse } from './job.ts'
import { sandboxLimits } from './sandboxLimits.ts'

const maxRedirects = 3

/** Headers of the connection and of the message framing, and headers that Aglet sets. */
const reservedHeaders =
  /^(host|connection|content-length|transfer-encoding|te|trailer|upgrade|keep-alive|expect|proxy-.*|x-aglet-.*)$/i
const originBoundHeaders = /^(authorization|cookie)$/i
const bodyHeaders = /^content-/i

/** Validates a fetch request of a customer's code. Throws an Error with one sentence. */
export function parseFetchRequest(value: unknown): FetchRequest {
  const { url, method, headers, body, redirect } = Object(value) as Record<string, unknown>
  const isPair = (pair: unknown) =>
    Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === 'string')
  const isValid =
    typeof url === 'string' &&
    /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/.test(`${method}`) &&
    Array.isArray(headers) &&
    headers.every(isPair) &&
    (body === null || typeof body === 'string') &&
    /^(follow|error|manual)$/.test(`${redirect}`)
  if (!isValid) throw new Error('The request is not valid')
  if (body && Buffer.byteLength(body) > sandboxLimits.fetchBytes) throw new Error('The body is larger than 1 MiB')
  return value as FetchRequest
}

const toWireRequest = ({ url, method, headers, body }: FetchRequest): WireRequest => ({
  url,
  method,
  headers: Object.fromEntries(
    headers.filter(([name]) => !reservedHeaders.test(name)).map(([name, value]) => [name.toLowerCase(), value]),
  ),
  ...(body !== null && { body }),
})

/** The next request of a redirect, by the rules of fetch. Undefined if the response is not a redirect. */
export function redirectRequest(
  request: WireRequest,
  status: number,
  location: string | undefined,
): WireRequest | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined
  const url = URL.parse(location, request.url)
  if (!url) return undefined
  const isSameOrigin = url.origin === new URL(request.url).origin
  const becomesGet = (status === 303 && request.method !== 'HEAD') || (status < 303 && request.method === 'POST')
  const headers = Object.entries(request.headers).filter(
    ([name]) => (isSameOrigin || !originBoundHeaders.test(name)) && !(becomesGet && bodyHeaders.test(name)),
  )
  return {
    url: url.href,
    method: becomesGet ? 'GET' : request.method,
    headers: Object.fromEntries(headers),
    ...(!becomesGet && request.body !== undefined && { body: request.body }),
  }
}

/**
 * `fetch` of a customer's code: each hop goes through the outbound guard, with at most three redirects. `send` limits
 * time and size. Throws an Error whose message contains no address.
 */
export const createGuardedFetch =
  (send: SendRequest) =>
  async (fetchRequest: FetchRequest): Promise<FetchResponse> => {
    const deadline = performance.now() + sandboxLimits.fetchMs
    let request: WireRequest | undefined = toWireRequest(fetchRequest)
    for (let hop = 0; request && hop <= maxRedirects && performance.now() < deadline; hop++) {
      const response = await send(request, 'customer')
      if ('failed' in response) throw new Error(response.message)
      if (Buffer.byteLength(response.body) > sandboxLimits.fetchBytes)
        throw new Error('The response is larger than 1 MiB')
      const next = redirectRequest(request, response.status, response.headers.location)
      if (!next || fetchRequest.redirect === 'manual')
        return { url: request.url, status: response.status, headers: response.headers, body: response.body }
      if (fetchRequest.redirect === 'error') throw new Error('The response was a redirect')
      request = next
    }
    throw new Error('There were too many redirects, or they took too long')
  }

/** Limits for `openSender`: reading one byte more than allowed detects a body that is too large. */
export const fetchLimits = {
  totalMs: sandboxLimits.fetchMs,
  headersMs: sandboxLimits.fetchMs,
  readBytes: sandboxLimits.fetchBytes + 1,
  keptBytes: sandboxLimits.fetchBytes + 1,
} as const
