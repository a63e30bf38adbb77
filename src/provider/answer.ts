import type { Reason } from '#contract/outcome.ts'
import { parseJson } from '#kit/json.ts'
import type { AnswerRule, Provider, Verdict } from './provider.ts'
import type { Answer } from './send.ts'

export { strike } from './privacy.ts'

/** What an attempt came to. */
export type Judgement = {
  verdict: Verdict
  /** Why, unless it was delivered. */
  reason?: Reason
  /** How long the vendor asked to be left alone: 1 s to 6 h. */
  retryAfterMs?: number
  /** A 403 of which no rule speaks: five in a row mean that the key is at fault. */
  forbidden?: true
  /** What the vendor says of it; may repeat what was sent, so `strike` it before it is kept. */
  message?: string
}

type Came = Exclude<Answer, { failed: string }>

const secondMs = 1_000
const sixHoursMs = 6 * 3_600_000
const maxMessage = 300

function parse(body: string): unknown {
  try {
    return parseJson(body)
  } catch {
    return undefined
  }
}

/** The member at a path: `error.code`, `errors.0.message`. */
export const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, key) => {
    const holds = typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
    return holds ? (inner as Record<string, unknown>)[key] : undefined
  }, value)

function fits(rule: AnswerRule, { status, body }: Came, json: unknown): boolean {
  if (rule.status !== undefined && rule.status !== status) return false
  const found = rule.at === undefined ? body : at(json, rule.at)
  if (rule.like) return (typeof found === 'string' || typeof found === 'number') && rule.like.test(String(found))
  if (rule.in) return rule.in.some((each) => each === found)
  if (rule.between) return typeof found === 'number' && found >= rule.between[0] && found <= rule.between[1]
  return found !== undefined && found !== null
}

function usual(status: number): AnswerRule['is'] {
  if (status >= 200 && status < 300) return 'delivered'
  if (status === 429) return 'throttled'
  if (status === 408 || status === 425 || status >= 500) return 'again'
  return status === 401 ? 'keyRejected' : 'refused'
}

const reasons = {
  again: 'vendorDown',
  throttled: 'throttled',
  refused: 'payloadRefused',
  keyRejected: 'keyRejected',
} as const

/** A word of the form as what an attempt came to. */
export const meaning = (is: AnswerRule['is']): Judgement =>
  is === 'delivered' ? { verdict: is } : { verdict: is === 'throttled' ? 'again' : is, reason: reasons[is] }

/** When the vendor's window ends, where it says so instead: epoch seconds, or seconds from now. */
function windowEnd(headers: Came['headers'], now: number): number | undefined {
  const text = headers['x-ratelimit-reset'] ?? headers['x-rate-limit-reset'] ?? ''
  if (!/^\d+$/.test(text.trim())) return undefined
  const given = Number(text) * secondMs
  return given > now / 2 ? given - now : given
}

/** `Retry-After`, in seconds or as a date (RFC 9110, 10.2.3). A date is read by the vendor's own clock where it tells the time. */
function retryAfter(headers: Came['headers'], now: number): number | undefined {
  const text = headers['retry-after']?.trim()
  if (!text) return undefined
  const theirNow = Date.parse(headers.date ?? '') || now
  const isDate = /^[a-z]{3}/i.test(text) // every form of an HTTP date begins with the day's name
  const afterMs = /^\d+$/.test(text) ? Number(text) * secondMs : isDate ? Date.parse(text) - theirNow : Number.NaN
  return Number.isNaN(afterMs) ? undefined : afterMs
}

/** How long the vendor asks to be left alone: `Retry-After`, else the end of the window in which it was too much. */
function waitOf({ headers }: Came, is: AnswerRule['is'], now: number): number | undefined {
  if (is !== 'again' && is !== 'throttled') return undefined
  const afterMs = retryAfter(headers, now) ?? (is === 'throttled' ? windowEnd(headers, now) : undefined)
  return afterMs === undefined ? undefined : Math.min(Math.max(afterMs, secondMs), sixHoursMs)
}

const sayings = [
  'error.message',
  'errors.0.message',
  'errors.0.detail',
  'errors.0.type',
  'errors.0',
  'error_description',
  'errormsg',
  'message',
  'error',
  'detail',
]

/** One line of what a vendor says, after the status. */
export function lineOf(status: number, said: string): string {
  const line = said.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  return line ? `HTTP ${status}: ${line}`.slice(0, maxMessage) : `HTTP ${status}`
}

/** Pages for people are not repeated. */
function messageOf({ status, headers, body }: Came, json: unknown): string {
  const said = sayings.map((path) => at(json, path)).find((each) => typeof each === 'string' && each !== '')
  const isPage = /html/i.test(headers['content-type'] ?? '') || body.trimStart().startsWith('<')
  return lineOf(status, typeof said === 'string' ? said : json === undefined && !isPage ? body : '')
}

/** What an answer means for the delivery. `now`: epoch ms, for a `Retry-After` that is a date. */
export function judge(provider: Pick<Provider, 'answers'>, answer: Answer, now: number): Judgement {
  if ('failed' in answer) {
    const { failed, message } = answer
    if (failed === 'spoilt') return { verdict: 'again', reason: 'poison', message }
    return { ...meaning(failed === 'denied' ? 'refused' : 'again'), message }
  }
  const json = parse(answer.body)
  const rule = provider.answers?.find((each) => fits(each, answer, json))
  const is = rule?.is ?? usual(answer.status)
  if (is === 'delivered') return meaning(is)
  const waitMs = waitOf(answer, is, now)
  return {
    ...meaning(is),
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
    ...(!rule && is === 'refused' && answer.status === 403 && { forbidden: true }),
    message: messageOf(answer, json),
  }
}
