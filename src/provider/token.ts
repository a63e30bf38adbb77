import { parseJson } from '#kit/json.ts'
import { at, type Judgement, judge } from './answer.ts'
import type { Provider } from './provider.ts'
import { declaredSecrets } from './secrets.ts'
import type { Answer, WireRequest } from './send.ts'
import { wireOf } from './wire.ts'

/** A token and when it ends (epoch ms); or why there is none. */
export type Fetched = { token: string; endsAt: number } | { refused: Judgement }

const hourMs = 3_600_000

type Given = Readonly<Record<string, string>>

/** The request for a token; undefined where this provider, or a script with these secrets, needs none. */
export function tokenRequest(id: string, provider: Provider, given: Given, now: number): WireRequest | undefined {
  const send = provider.before?.request(declaredSecrets(id, provider, given), now)
  return send && wireOf(send, now)
}

/** Who answers a token request with a refusal refuses the key: no event was in it. */
function refused(judgement: Judgement): Fetched {
  const { verdict, message } = judgement
  if (verdict === 'again') return { refused: judgement }
  const said = message ?? 'The answer to the token request holds no token.'
  return { refused: { verdict: 'keyRejected', reason: 'keyRejected', message: said } }
}

function read(text: string, path: string): unknown {
  try {
    return at(parseJson(text), path)
  } catch {
    return undefined
  }
}

/** Reads the token out of an answer. `now`: epoch ms. */
export function readToken(
  { before = {} as NonNullable<Provider['before']> }: Provider,
  answer: Answer,
  now: number,
): Fetched {
  const judgement = judge({}, answer, now)
  if (judgement.verdict !== 'delivered' || !('body' in answer)) return refused(judgement)
  const { token: path = 'access_token', lifetime = 'expires_in', lifetimeMs = hourMs } = before
  const token = read(answer.body, path)
  if (typeof token !== 'string' || token === '') return refused({ verdict: 'refused' })
  const seconds = Number(read(answer.body, lifetime))
  return { token, endsAt: now + (seconds > 0 ? seconds * 1000 : lifetimeMs) }
}
