import type { DeliveryReason } from '#contract/deliveryStatus.ts'
import { parseJson } from '#kit/json.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { ResponseRule, Verdict } from '#provider/form/responseRule.ts'
import type { HttpResponse } from './httpResponse.ts'
import { mostMessage } from './redaction.ts'
import type { SendResult } from './send.ts'

/** The meaning of a response for a delivery. */
export type Judgement = {
  verdict: Verdict
  /** Absent for `delivered`. */
  reason?: DeliveryReason
  /** How long the vendor asks to wait: 1 s to 6 h. */
  retryAfterMs?: number
  /** A 403 that no rule covers. After five in a row, the credentials count as rejected. */
  forbidden?: true
  /** The vendor's message. It can repeat parts of the request: `redactMessages` is applied before it is stored. */
  message?: string
}

const secondMs = 1_000
const sixHoursMs = 6 * 3_600_000

/** The value of a JSON body; undefined for any other body. */
export function bodyJson(body: string): unknown {
  try {
    return parseJson(body)
  } catch {
    return undefined
  }
}

/** The value at a path such as `error.code` or `errors.0.message`. */
export const valueAt = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, key) => {
    const holds = typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
    return holds ? (inner as Record<string, unknown>)[key] : undefined
  }, value)

/** The part of a response that a rule checks: a header, a value of the JSON body, or the whole body. */
function subjectOf({ header, path }: ResponseRule, { headers, body }: HttpResponse, json: unknown): unknown {
  if (header !== undefined) return headers[header]
  return path === undefined ? body : valueAt(json, path)
}

function matchesRule(rule: ResponseRule, response: HttpResponse, json: unknown): boolean {
  if (rule.status !== undefined && rule.status !== response.status) return false
  const value = subjectOf(rule, response, json)
  if (rule.matches) return (typeof value === 'string' || typeof value === 'number') && rule.matches.test(String(value))
  if (rule.equalsAny) return rule.equalsAny.some((each) => each === value)
  if (rule.between) return typeof value === 'number' && value >= rule.between[0] && value <= rule.between[1]
  return value !== undefined && value !== null
}

function defaultVerdict(status: number): ResponseRule['verdict'] {
  if (status >= 200 && status < 300) return 'delivered'
  if (status === 429) return 'throttled'
  if (status === 408 || status === 425 || status >= 500) return 'retry'
  return status === 401 ? 'keyRejected' : 'refused'
}

const reasons = {
  retry: 'vendorDown',
  throttled: 'throttled',
  refused: 'payloadRefused',
  keyRejected: 'keyRejected',
} as const

/** The judgement for a verdict of a provider file. */
export const judgementOf = (verdict: ResponseRule['verdict']): Judgement =>
  verdict === 'delivered'
    ? { verdict }
    : { verdict: verdict === 'throttled' ? 'retry' : verdict, reason: reasons[verdict] }

/** The time until the rate-limit window ends. Vendors send epoch seconds or seconds from now. */
function rateLimitResetMs(headers: HttpResponse['headers'], now: number): number | undefined {
  const text = headers['x-ratelimit-reset'] ?? headers['x-rate-limit-reset'] ?? ''
  if (!/^\d+$/.test(text.trim())) return undefined
  const resetMs = Number(text) * secondMs
  return resetMs > now / 2 ? resetMs - now : resetMs
}

/**
 * `Retry-After`, in seconds or as a date (RFC 9110, 10.2.3). A date is relative to the vendor's `Date` header where
 * there is one.
 */
function retryAfterHeaderMs(headers: HttpResponse['headers'], now: number): number | undefined {
  const text = headers['retry-after']?.trim()
  if (!text) return undefined
  const theirNow = Date.parse(headers.date ?? '') || now
  const isDate = /^[a-z]{3}/i.test(text) // all HTTP date formats start with a day name
  const afterMs = /^\d+$/.test(text) ? Number(text) * secondMs : isDate ? Date.parse(text) - theirNow : Number.NaN
  return Number.isNaN(afterMs) ? undefined : afterMs
}

/** How long the vendor asks to wait: `Retry-After`. For throttling without it: until the rate-limit window ends. */
function requestedWaitMs({ headers }: HttpResponse, verdict: ResponseRule['verdict'], now: number): number | undefined {
  if (verdict !== 'retry' && verdict !== 'throttled') return undefined
  const afterMs =
    retryAfterHeaderMs(headers, now) ?? (verdict === 'throttled' ? rateLimitResetMs(headers, now) : undefined)
  return afterMs === undefined ? undefined : Math.min(Math.max(afterMs, secondMs), sixHoursMs)
}

const messagePaths = [
  'error.message',
  'errors.0.message',
  'errors.0.detail',
  'errors.0.type',
  'errors.0',
  'error_description',
  'errormsg',
  'reason',
  'events.0.error_message',
  'invalid_events.0.error_message',
  'message',
  'response.message',
  'msg',
  'error',
  'detail',
  'reason',
  'description',
  'replyText',
]

/** The status and the vendor's message as one line. */
export function responseLine(status: number, text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  return line ? `HTTP ${status}: ${line}`.slice(0, mostMessage) : `HTTP ${status}`
}

/** The text of the element that holds the error message in an XML response. */
const xmlMessage = (body: string) => /<(?:reason|error|message)>([^<]{1,500})</i.exec(body)?.[1]

/** The members of a provider that describe responses. */
type JudgedProvider = Pick<Provider, 'responseRules' | 'errorMessage'>

/** The status and the vendor's message. HTML pages are omitted. */
function messageOf({ status, headers, body }: HttpResponse, json: unknown, { errorMessage }: JudgedProvider): string {
  const paths = errorMessage === undefined ? messagePaths : [errorMessage, ...messagePaths]
  const message =
    paths.map((path) => valueAt(json, path)).find((each) => typeof each === 'string' && each !== '') ??
    (body.trimStart().startsWith('<?xml') ? xmlMessage(body) : undefined)
  const isPage = /html/i.test(headers['content-type'] ?? '') || body.trimStart().startsWith('<')
  return responseLine(status, typeof message === 'string' ? message : json === undefined && !isPage ? body : '')
}

/** Judges a result by the provider's rules. Without a matching rule, the default applies. `now`: epoch ms. */
export function judge(provider: JudgedProvider, result: SendResult, now: number): Judgement {
  if ('failed' in result) {
    const { failed, message } = result
    if (failed === 'killed') return { verdict: 'retry', reason: 'poison', message }
    if (failed === 'denied') return { verdict: 'refused', reason: 'addressNotAllowed', message }
    return { ...judgementOf(failed === 'tooLarge' ? 'refused' : 'retry'), message }
  }
  const json = bodyJson(result.body)
  const rule = provider.responseRules?.find((each) => matchesRule(each, result, json))
  const verdict = rule?.verdict ?? defaultVerdict(result.status)
  if (verdict === 'delivered') return judgementOf(verdict)
  const waitMs = requestedWaitMs(result, verdict, now)
  return {
    ...judgementOf(verdict),
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
    ...(!rule && verdict === 'refused' && result.status === 403 && { forbidden: true }),
    message: messageOf(result, json, provider),
  }
}
