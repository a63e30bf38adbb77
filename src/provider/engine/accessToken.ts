import type { Provider } from '#provider/form/provider.ts'
import { type Judgement, judge, valueAt } from './judgement.ts'
import { secretValues } from './secretValues.ts'
import type { SendResult } from './send.ts'
import { toWireRequest } from './toWireRequest.ts'
import type { WireRequest } from './wireRequest.ts'

/** A token and when it ends (epoch ms); or why there is none. */
export type TokenResult = { token: string; endsAt: number } | { refused: Judgement }

const hourMs = 3_600_000

type Given = Readonly<Record<string, string>>

/** The request for a token; undefined where this provider, or a script with these secrets, needs none. */
export function buildTokenRequest(id: string, provider: Provider, given: Given, now: number): WireRequest | undefined {
  const send = provider.tokenRequest?.request(secretValues(id, provider, given), now)
  return send && toWireRequest(send, now)
}

/** Who answers a token request with a refusal refuses the key: no event was in it. */
function refused(judgement: Judgement): TokenResult {
  const { verdict, message } = judgement
  if (verdict === 'retry') return { refused: judgement }
  const said = message ?? 'The answer to the token request holds no token.'
  return { refused: { verdict: 'keyRejected', reason: 'keyRejected', message: said } }
}

function read(text: string, path: string): unknown {
  try {
    return valueAt(JSON.parse(text), path)
  } catch {
    return undefined
  }
}

/** Reads the token out of an answer. `now`: epoch ms. */
export function readToken(
  { tokenRequest = {} as NonNullable<Provider['tokenRequest']> }: Provider,
  answer: SendResult,
  now: number,
): TokenResult {
  const judgement = judge({}, answer, now)
  if (judgement.verdict !== 'delivered' || !('body' in answer)) return refused(judgement)
  const { tokenPath: path = 'access_token', lifetimePath = 'expires_in', defaultLifetimeMs = hourMs } = tokenRequest
  const token = read(answer.body, path)
  if (typeof token !== 'string' || token === '') return refused({ verdict: 'refused' })
  const seconds = Number(read(answer.body, lifetimePath))
  return { token, endsAt: now + (seconds > 0 ? seconds * 1000 : defaultLifetimeMs) }
}
