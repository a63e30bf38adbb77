import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { fault } from '#contract/fault.ts'
import type { Caller } from './admit.ts'

const windowS = 60

/**
 * Counts a call: for the token it came with or the person who is signed in, else for the address it came from. Says in the headers what is left, by
 * the names of the IETF's draft and by those that came before. Throws tooManyRequests.
 */
export type CountCall = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

type Counted = { max: number; remaining: number; ttlInSeconds: number; isExceeded: boolean }

const headersOf = ({ max, remaining }: Counted, resetS: number) => ({
  'ratelimit-policy': `"default";q=${max};w=${windowS}`,
  ratelimit: `"default";r=${remaining};t=${resetS}`,
  'ratelimit-limit': `${max}`,
  'ratelimit-remaining': `${remaining}`,
  'ratelimit-reset': `${resetS}`,
})

function tell(counted: Counted, reply: FastifyReply): void {
  const resetS = Math.max(1, counted.ttlInSeconds)
  reply.headers(headersOf(counted, resetS))
  if (counted.isExceeded) throw fault('tooManyRequests', { headers: { 'retry-after': `${resetS}` } })
}

const within = (perMinute: () => number) => ({ max: perMinute, timeWindow: windowS * 1_000, cache: 50_000 })

/** All sessions of a person are counted together: signing in again gives no more calls. */
const idOf = (caller: Caller) => ('person' in caller ? caller.person.personId : caller.tokenId)

/** So many calls a minute for each token or person, and as many for each address without a good one. */
export function countCalls(app: FastifyInstance, perMinute: () => number): CountCall {
  const shared = within(perMinute)
  const ofCaller = app.createRateLimit({ ...shared, keyGenerator: (request) => idOf(request.access!) })
  const ofAddress = app.createRateLimit(shared)
  return async (request, reply) => tell((await (request.access ? ofCaller : ofAddress)(request)) as Counted, reply)
}

/** So many calls a minute for each address, whoever calls. */
export function countAddresses(app: FastifyInstance, perMinute: () => number): CountCall {
  const ofAddress = app.createRateLimit(within(perMinute))
  return async (request, reply) => tell((await ofAddress(request)) as Counted, reply)
}
