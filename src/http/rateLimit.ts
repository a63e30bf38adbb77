import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { fault } from '#contract/fault.ts'
import type { AuthenticatedCaller } from './authorizeCall.ts'

const windowS = 60

/**
 * Counts a call for its token or signed-in person, else for its IP address. Sends the remaining calls in the headers of
 * the IETF draft and in the older `RateLimit-*` ones. Throws tooManyRequests.
 */
export type CountCall = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

type RateLimitState = { max: number; remaining: number; ttlInSeconds: number; isExceeded: boolean }

const toHeaders = ({ max, remaining }: RateLimitState, resetS: number) => ({
  'ratelimit-policy': `"default";q=${max};w=${windowS}`,
  ratelimit: `"default";r=${remaining};t=${resetS}`,
  'ratelimit-limit': `${max}`,
  'ratelimit-remaining': `${remaining}`,
  'ratelimit-reset': `${resetS}`,
})

function applyRateLimit(counted: RateLimitState, reply: FastifyReply): void {
  const resetS = Math.max(1, counted.ttlInSeconds)
  reply.headers(toHeaders(counted, resetS))
  if (counted.isExceeded) throw fault('tooManyRequests', { headers: { 'retry-after': `${resetS}` } })
}

const limitOptions = (perMinute: () => number) => ({ max: perMinute, timeWindow: windowS * 1_000, cache: 50_000 })

/** All sessions and teams of a person are counted together, so that signing in again gives no more calls. */
const callerId = (caller: AuthenticatedCaller) => ('person' in caller ? caller.person.personId : caller.by)

/** Allows `perMinute` calls for each token or person, and for each IP address without a valid token or session. */
export function limitCallers(app: FastifyInstance, perMinute: () => number): CountCall {
  const shared = limitOptions(perMinute)
  const limitCaller = app.createRateLimit({ ...shared, keyGenerator: (request) => callerId(request.access!) })
  const limitAddress = app.createRateLimit(shared)
  return async (request, reply) =>
    applyRateLimit((await (request.access ? limitCaller : limitAddress)(request)) as RateLimitState, reply)
}

/** Allows `perMinute` calls for each IP address. */
export function limitAddresses(app: FastifyInstance, perMinute: () => number): CountCall {
  const limitAddress = app.createRateLimit(limitOptions(perMinute))
  return async (request, reply) => applyRateLimit((await limitAddress(request)) as RateLimitState, reply)
}
