import type { DeliveryReason, DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { EncodedExchange } from '#journal/encodedExchange.ts'
import { redactExchange } from '#journal/redactExchange.ts'
import type { RetentionPolicy } from '#journal/retentionPolicy.ts'
import type { Judgement } from '#provider/engine/judgement.ts'
import { type Redact, redactor } from '#provider/engine/redaction.ts'
import type { SendResult } from '#provider/engine/send.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import { formatIssues, parseIssues } from '#provider/form/eventIssues.ts'
import type { DueDelivery } from '#store/store.ts'
import { type AttemptContext, redactedSecrets } from './attemptContext.ts'
import { type AttemptDetails, type AttemptResult, poisonResult, poisonTries } from './attemptResult.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'
import { type DeliveryState, type FailedAttempt, maxWaitMs, nextAttempt } from './retrySchedule.ts'

type ResultDeps = Pick<DeliveryDeps, 'clock' | 'random' | 'keep'>
type FaultDeps = ResultDeps & Pick<DeliveryDeps, 'log'>

/** The result of an internal failure. It is retried on the schedule and does not count against the vendor. */
export function internalFailure(error: unknown, delivery: DueDelivery, deps: FaultDeps): AttemptResult {
  const { deliveryId, scriptId, providerId, receivedAt } = delivery
  deps.log({
    level: 'error',
    message: 'an attempt failed with an internal error',
    deliveryId,
    scriptId,
    providerId,
    error,
  })
  const now = deps.clock.now()
  return nextAttempt(
    { verdict: 'retry', reason: 'poison' },
    { ...attemptCounts(delivery, deps), now, receivedAt, eventAt: now },
  )
}

export const buildFailure = (error: unknown, delivery: DueDelivery, deps: FaultDeps): AttemptResult =>
  untilPoison(internalFailure(error, delivery, deps), delivery)

/** Retries a failure that the event itself causes, until the delivery counts as poison. */
const untilPoison = (again: AttemptResult, { crashCount = 0 }: DueDelivery): AttemptResult =>
  crashCount + 1 < poisonTries ? { ...again, isCrash: true } : poisonResult

const attemptCounts = ({ attempts, uncountedAttempts, priority }: DueDelivery, { random, keep }: ResultDeps) => ({
  counted: attempts + 1 - uncountedAttempts,
  waitMs: maxWaitMs(keep, priority === 'replay'),
  random: random(),
})

/** The result of a provider that sends nothing: its notes on the event replace a vendor's answer. */
export function recordedResult(messages: readonly string[], context: AttemptContext): AttemptResult {
  const text = formatIssues(messages)
  const sent = { durationMs: 0, message: redactorOf([context])(text), issues: parseIssues(text) }
  return { status: 'delivered', sent }
}

/**
 * The result in the sandbox environment for a vendor without a test mode: the request is built completely and not sent.
 */
export function simulatedResult(
  requests: readonly WireRequest[],
  context: AttemptContext,
  keep: RetentionPolicy,
): AttemptResult {
  const lines = requests.map(({ method, url, body = '' }) => `${method} ${url} (${Buffer.byteLength(body)} bytes)`)
  const redact = redactorOf([context])
  const message = redact(`not sent: ${lines.join(', ')}`)
  const exchanges = requests.flatMap((request) =>
    exchangeResult({ request, deliveryCount: 1, isFailed: false }, () => redact, keep),
  )
  return { status: 'simulated', sent: { durationMs: 0, message, ...(exchanges.length > 0 && { exchanges }) } }
}

/**
 * Redacts the secrets of the channel, the access token of the call and the personal data of all events of the batch.
 */
export function redactorOf(contexts: readonly AttemptContext[], token = ''): Redact {
  const secrets = redactedSecrets(contexts[0]!)
  return redactor({
    secrets: token ? [...secrets, token] : secrets,
    persons: contexts.map(({ outgoing }) => outgoing.person),
  })
}

type ExchangeInput = { request: WireRequest; answer?: SendResult; deliveryCount: number; isFailed: boolean }

/** The request and its answer, redacted; empty if the operator's retention keeps neither. */
export function exchangeResult(
  { request, answer, deliveryCount, isFailed }: ExchangeInput,
  getRedactor: () => Redact,
  keep: RetentionPolicy,
): EncodedExchange[] {
  if (keep.bodies === 'none' || (keep.bodies === 'failed' && !isFailed)) return []
  return [redactExchange(request, answer, getRedactor(), deliveryCount > 1)]
}

/** The result of a delivery that the vendor did not accept. The message of the judgement is already redacted. */
export function failedResult(
  judgement: Judgement,
  details: AttemptDetails,
  context: AttemptContext,
  deps: ResultDeps,
): AttemptResult {
  const { provider, outgoing, delivery } = context
  const message = [judgement.message, details.message].filter(Boolean).join('\n')
  const sent = { ...details, ...(message && { message }) }
  const failure = failureOf(judgement)
  if ('status' in failure) return { ...failure, sent }
  const { maxAgeMs } = provider
  const state: DeliveryState = {
    ...attemptCounts(delivery, deps),
    now: deps.clock.now(),
    receivedAt: delivery.receivedAt,
    eventAt: outgoing.event.timestamp,
    ...(maxAgeMs !== undefined && { maxAgeMs }),
  }
  const next = nextAttempt(failure, state)
  return { ...(failure.reason === 'poison' ? untilPoison(next, delivery) : next), sent }
}

type RefusedResult = { status: Extract<DeliveryStatus, 'refused'>; reason: DeliveryReason }

function failureOf({ verdict, reason, retryAfterMs }: Judgement): FailedAttempt | RefusedResult {
  if (verdict === 'keyRejected') return { verdict, reason: 'keyRejected' }
  if (verdict === 'retry') return { verdict, reason: reason ?? 'vendorDown', ...(retryAfterMs && { retryAfterMs }) }
  return { status: 'refused', reason: reason ?? 'payloadRefused' }
}
