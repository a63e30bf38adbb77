import type { EncodedExchange } from '#journal/encodedExchange.ts'
import { tracedSend } from '#kit/trace.ts'
import type { RequestBatch } from '#provider/engine/buildBatches.ts'
import { type Judgement, judge, judgementOf } from '#provider/engine/judgement.ts'
import type { StepResults } from '#provider/engine/nextStep.ts'
import { hostOf } from '#provider/engine/parsedUrls.ts'
import { type EventJudgements, judgePartialFailures } from '#provider/engine/partialFailures.ts'
import { type Redact, redactMessages } from '#provider/engine/redaction.ts'
import type { SendResult } from '#provider/engine/send.ts'
import { withoutEchoes } from '#provider/engine/sharedMessage.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import type { ResponseRule } from '#provider/form/responseRule.ts'
import type { AttemptContext } from './attemptContext.ts'
import type { AttemptDetails, AttemptResult } from './attemptResult.ts'
import { exchangeResult, failedResult, redactorOf } from './attemptResults.ts'
import type { CallsDeps } from './buildBatchRequests.ts'
import type { CallControl } from './channel.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'
import type { RecordResponse } from './deliveryHistograms.ts'
import { type RunDeps, runCustomerCode } from './runCustomerCode.ts'

export type OneCallDeps = CallsDeps &
  RunDeps &
  Pick<DeliveryDeps, 'send' | 'keep'> & {
    /** Absent for test events, whose calls are not counted. */
    recordResponse?: RecordResponse
  }

export type Caller = { contexts: readonly AttemptContext[]; channel: CallControl }

/** `failures`: judgements of the events that the vendor did not accept, by their row in the request. */
export type CallOutcome = { judgement: Judgement; failures: EventJudgements; answer: SendResult; request: WireRequest }

const noRules: readonly ResponseRule[] = []

/** Makes one call. `results`: of the previous steps, if the call is a later step. */
export function callOnce(
  batch: RequestBatch,
  { contexts, channel }: Caller,
  deps: OneCallDeps,
  results?: StepResults,
): Promise<CallOutcome> {
  const { provider } = contexts[0]!
  const step = results && batch.nextStep?.(results)
  const [request, stepRules] = step && 'request' in step ? [step.request, step.responseRules] : [batch.request, noRules]
  channel.beginCall(hostOf(request.url))
  const answering = provider.code
    ? runCustomerCode(request, provider.code, contexts[batch.eventIndexes[0]!]!, deps)
    : tracedSend(request, provider.host === 'customer', (sent) => deps.send(sent, provider.host))
  return answering.then((answer) => outcomeOf(answer, { batch, request, stepRules, first: contexts[0]! }, deps))
}

type Call = { batch: RequestBatch; request: WireRequest; stepRules: readonly ResponseRule[]; first: AttemptContext }

function outcomeOf(
  answer: SendResult,
  { batch, request, stepRules, first: { provider, script } }: Call,
  { recordResponse, clock }: OneCallDeps,
): CallOutcome {
  if ('status' in answer) recordResponse?.(script.providerId, answer.durationMs)
  const { responseRules = noRules } = provider
  const rules = stepRules.length > 0 ? [...stepRules, ...responseRules] : responseRules
  const whole = judge({ responseRules: rules }, answer, clock.now())
  const failures = judgePartialFailures(provider, batch, answer, whole)
  // if every row failed, the first row decides the channel's result, whatever the HTTP status
  const judgement = failures.size === batch.eventIndexes.length ? failures.get(0)! : whole
  return { answer, request, judgement, failures }
}

/** Returns the redactor for an attempt whose call uses this access token. */
export type RedactorFor = (token: string) => Redact

/** Creates the redactor on first use: a successful call needs none. */
export function redactorForAll(contexts: readonly AttemptContext[]): RedactorFor {
  let cached: { token: string; redact: Redact } | undefined
  return (token) => {
    if (cached?.token !== token) cached = { token, redact: redactorOf(contexts, token) }
    return cached.redact
  }
}

/** `token`: access token of the call, or empty. `before`: details of the earlier calls for the delivery of a row. */
type RecordedCall = { redactorFor: RedactorFor; token: string; before?(row: number): AttemptDetails | undefined }

/** The results of the deliveries of a call, in the order of `contexts`. */
export function resultsOf(
  { judgement, failures, answer, request }: CallOutcome,
  contexts: readonly AttemptContext[],
  { redactorFor, token, before }: RecordedCall,
  deps: OneCallDeps,
): AttemptResult[] {
  const isFailed = judgement.verdict !== 'delivered' || failures.size > 0
  // Exchanges of a successful call keep only what all events share, so the first user's redactor is enough.
  const getRedactor = () => (isFailed ? redactorFor(token) : redactorOf(contexts.slice(0, 1), token))
  const exchanges = exchangeResult(
    { request, answer, deliveryCount: contexts.length, isFailed },
    getRedactor,
    deps.keep,
  )
  const judgements =
    failures.size > 0 ? contexts.map((_, row) => failures.get(row) ?? judgementOf('delivered')) : [judgement]
  const shown = redacted(judgements, getRedactor, isOfMany(contexts) ? request : undefined)
  return contexts.map((context, row) => {
    const sent = callDetails(answer, before?.(row), exchanges)
    const own = shown[row] ?? shown[0]!
    return own.verdict === 'delivered' ? { status: 'delivered', sent } : failedResult(own, sent, context, deps)
  })
}

const isOfMany = (contexts: readonly AttemptContext[]) =>
  contexts.length > 1 && new Set(contexts.map(({ outgoing }) => outgoing.person.userId)).size > 1

/** Redacts the messages of the judgements. `shared`: a request with events of several people. */
export function redacted(
  judgements: readonly Judgement[],
  getRedactor: () => Redact,
  shared?: WireRequest,
): readonly Judgement[] {
  if (judgements.every(({ message }) => !message)) return judgements
  const texts = judgements.map(({ message = '' }) => message)
  const messages = redactMessages(texts, getRedactor()).map((text) => (shared ? withoutEchoes(text, shared) : text))
  return judgements.map((judgement, n) => ({ ...judgement, ...(messages[n] && { message: messages[n] }) }))
}

/** The details of all calls so far: total duration and last status. */
function callDetails(
  answer: SendResult,
  before: AttemptDetails | undefined,
  exchanges: readonly EncodedExchange[],
): AttemptDetails {
  const details: AttemptDetails = { durationMs: (before?.durationMs ?? 0) + answer.durationMs }
  if (exchanges.length > 0) details.exchanges = before?.exchanges ? [...before.exchanges, ...exchanges] : exchanges
  if ('status' in answer) details.httpStatus = answer.status
  if (answer.codeLog) details.message = answer.codeLog
  return details
}
