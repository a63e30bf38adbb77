import { parseJson } from '#kit/json.ts'
import type { Provider } from '#provider/form/provider.ts'
import { type Judgement, judge, valueAt } from './judgement.ts'
import { secretValues } from './secretValues.ts'
import type { SendResult } from './send.ts'
import { toWireRequest } from './toWireRequest.ts'
import type { WireRequest } from './wireRequest.ts'

/** An access token and its expiry (epoch ms), or the reason why there is none. */
export type TokenResult = { token: string; expiresAt: number } | { refused: Judgement }

const hourMs = 3_600_000

type Plaintexts = Readonly<Record<string, string>>

/** Builds the token request. Undefined if the provider, with these secrets, needs no token. */
export function buildTokenRequest(
  id: string,
  provider: Provider,
  given: Plaintexts,
  now: number,
): WireRequest | undefined {
  const request = provider.tokenRequest?.request(secretValues(id, provider, given), now)
  return request && toWireRequest(request, now)
}

/** A token request holds no event, so a refusal means that the credentials are rejected. */
function refused(judgement: Judgement): TokenResult {
  const { verdict, message } = judgement
  if (verdict === 'retry') return { refused: judgement }
  const reason = message ?? 'The response to the token request has no token.'
  return { refused: { verdict: 'keyRejected', reason: 'keyRejected', message: reason } }
}

function read(text: string, path: string): unknown {
  try {
    return valueAt(parseJson(text), path)
  } catch {
    return undefined
  }
}

/** Reads the token from the response. `now`: epoch ms. */
export function readToken(
  { tokenRequest = {} as NonNullable<Provider['tokenRequest']> }: Provider,
  result: SendResult,
  now: number,
): TokenResult {
  const judgement = judge({}, result, now)
  if (judgement.verdict !== 'delivered' || !('body' in result)) return refused(judgement)
  const { tokenPath: path = 'access_token', lifetimePath = 'expires_in', defaultLifetimeMs = hourMs } = tokenRequest
  const token = read(result.body, path)
  if (typeof token !== 'string' || token === '') return refused({ verdict: 'refused' })
  const seconds = Number(read(result.body, lifetimePath))
  return { token, expiresAt: now + (seconds > 0 ? seconds * 1000 : defaultLifetimeMs) }
}
