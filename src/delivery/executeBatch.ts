import type { Exchange } from '#contract/journey.ts'
import { tracedSend } from '#kit/trace.ts'
import type { RequestBatch } from '#provider/engine/buildBatches.ts'
import { type Judgement, judge, judgementOf } from '#provider/engine/judgement.ts'
import { type NextStep, type StepResults, stepResult } from '#provider/engine/nextStep.ts'
import { hostOf } from '#provider/engine/parsedUrls.ts'
import { type EventJudgements, judgePartialFailures } from '#provider/engine/partialFailures.ts'
import { type Redact, redactMessages } from '#provider/engine/redaction.ts'
import type { SendResult } from '#provider/engine/send.ts'
import { withoutEchoes } from '#provider/engine/sharedMessage.ts'
import type { TokenCache } from '#provider/engine/tokenCache.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import { type AttemptContext, tokenOf } from './attemptContext.ts'
import type { AttemptDetails, AttemptResult } from './attemptResult.ts'
import { buildFailure, exchangeResult, failedResult, redactorOf } from './attemptResults.ts'
import { type BuiltBatch, buildBatchRequests, type CallsDeps } from './buildBatchRequests.ts'
import type { CallControl } from './channel.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'
import type { RecordResponse } from './deliveryHistograms.ts'
import { type RunDeps, runCustomerCode } from './runCustomerCode.ts'

export type CallDeps = CallsDeps &
  RunDeps &
  Pick<DeliveryDeps, 'send' | 'keep'> & {
    tokens: TokenCache
    /** Absent where the calls are not counted, as those of a test event. */
    recordResponse?: RecordResponse
  }

/**
 * An attempt of at least one delivery of one channel. `test`: in the vendor's own test mode. `redactorFor` returns the
 * redactor for an access token; a split batch keeps the redactor of the whole batch, so that it redacts all of its
 * users.
 */
type BatchAttempt = {
  contexts: readonly AttemptContext[]
  channel: CallControl
  test?: true
  redactorFor?: RedactorFor
}
type RedactorFor = (token: string) => Redact
type RedactedAttempt = BatchAttempt & Required<Pick<BatchAttempt, 'redactorFor'>>

/** Creates the redactor on first use: a successful call needs none. */
function redactorForAll(contexts: readonly AttemptContext[]): RedactorFor {
  let cached: { token: string; redact: Redact } | undefined
  return (token) => {
    if (cached?.token !== token) cached = { token, redact: redactorOf(contexts, token) }
    return cached.redact
  }
}

/** The calls of a batch and the results so far, by the index of the delivery in the batch. */
type BatchProgress = {
  calls: readonly RequestBatch[]
  results: Map<number, AttemptResult>
  isRenewed: boolean
  token: string
}
/** `failures`: the judgements of the events that the vendor did not accept, by their row in the request. */
type CallOutcome = { judgement: Judgement; failures: EventJudgements; answer: SendResult; request?: WireRequest }

/**
 * Makes the calls in their order and returns the result of each delivery by its id. If a delivery takes several calls, those
 * after a failed call are not made.
 */
export async function executeBatch(
  { calls, results }: BuiltBatch,
  input: BatchAttempt,
  deps: CallDeps,
): Promise<Map<string, AttemptResult>> {
  const attempt = { ...input, redactorFor: input.redactorFor ?? redactorForAll(input.contexts) }
  const progress: BatchProgress = { calls, results: new Map(results), isRenewed: false, token: '' }
  const needsToken = calls.length > 0 && input.contexts[0]!.provider.tokenRequest
  const refused = needsToken && (await renewToken(progress, attempt, deps))
  if (refused) {
    const judgement = redacted([refused], () => attempt.redactorFor(progress.token))[0]!
    return byDelivery(attempt, (context, place) => progress.results.get(place) ?? notSent(judgement, context, deps))
  }
  for (let callIndex = 0; callIndex < progress.calls.length; callIndex++) {
    const { eventIndexes } = progress.calls[callIndex]!
    if (eventIndexes.some((place) => isOver(progress.results.get(place)))) continue
    const stop = attempt.channel.stopReason(deps.clock.now())
    if (stop) for (const place of eventIndexes) progress.results.set(place, waiting(stop, deps))
    else if (progress.calls[callIndex]!.nextStep) await sendSteps(callIndex, progress, attempt, deps)
    else {
      const outcome = await makeCall(callIndex, progress, attempt, deps)
      if (isSplit(eventIndexes, outcome)) await splitAndRetry(eventIndexes, { progress, attempt }, deps)
      else recordOutcome(eventIndexes, outcome, { progress, attempt }, deps)
    }
  }
  return byDelivery(attempt, (_, place) => progress.results.get(place)!)
}

const byDelivery = (
  { contexts }: BatchAttempt,
  resultOf: (context: AttemptContext, place: number) => AttemptResult,
): Map<string, AttemptResult> =>
  new Map(contexts.map((context, place) => [context.delivery.deliveryId, resultOf(context, place)]))

const isOver = (result: AttemptResult | undefined) => result !== undefined && result.status !== 'delivered'
const notSent = (refused: Judgement, context: AttemptContext, deps: CallDeps) =>
  failedResult(refused, { durationMs: 0 }, context, deps)

/** The result of a delivery whose channel stopped before its call. */
const waiting = (reason: NonNullable<AttemptResult['reason']>, { clock }: CallDeps): AttemptResult => ({
  status: 'pending',
  reason,
  nextAt: clock.now(),
  isUncounted: true,
})

/**
 * Fetches an access token if the provider needs one and builds the calls again with it. Returns a judgement if it
 * failed.
 */
async function renewToken(
  progress: BatchProgress,
  { contexts, channel, test }: BatchAttempt,
  deps: CallDeps,
): Promise<Judgement | undefined> {
  const owner = tokenOf(contexts[0]!)
  if (!owner.provider.tokenRequest) return undefined
  if (progress.isRenewed) deps.tokens.drop(owner, progress.token)
  const begunAt = deps.clock.now()
  const fetched = await deps.tokens.get(owner)
  if ('refused' in fetched) {
    return channel.recordAnswer(fetched.refused, { begunAt, now: deps.clock.now() })
  }
  const { calls, results } = buildBatchRequests(
    contexts,
    { token: fetched.token, ...(test && { testMode: true }) },
    deps,
  )
  for (const [place, result] of results) progress.results.set(place, result)
  Object.assign(progress, { calls, token: fetched.token })
  return undefined
}

/**
 * Sends the steps of one delivery, each after the previous one is delivered. Steps that an earlier attempt sent are
 * skipped. A delivery that is retried keeps the results of its steps.
 */
async function sendSteps(
  callIndex: number,
  progress: BatchProgress,
  attempt: RedactedAttempt,
  deps: CallDeps,
): Promise<void> {
  const place = progress.calls[callIndex]!.eventIndexes[0]!
  const context = attempt.contexts[place]!
  const results = [...(context.delivery.stepResults ?? [])]
  const finish = (result: AttemptResult) =>
    void progress.results.set(
      place,
      result.status === 'pending' && results.length > 0 ? { ...result, stepResults: results } : result,
    )
  for (;;) {
    let step: ReturnType<NextStep>
    try {
      step = progress.calls[callIndex]?.nextStep?.(results)
    } catch (error) {
      return finish(buildFailure(error, context.delivery, deps))
    }
    if (!step) return
    const sent = progress.results.get(place)?.sent
    if ('skipped' in step) return finish({ status: 'skipped', reason: step.skipped, ...(sent && { sent }) })
    const stop = attempt.channel.stopReason(deps.clock.now())
    if (stop) return finish({ ...waiting(stop, deps), ...(sent && { sent }) })
    const outcome = await makeCall(callIndex, progress, attempt, deps, results)
    recordOutcome([place], outcome, { progress, attempt }, deps)
    const result = progress.results.get(place)!
    if (result.status !== 'delivered') return finish(result)
    results.push(stepResult(step, outcome.answer))
  }
}

/**
 * Makes a call, or the step that follows these results. If its token is rejected, makes it once more with a new one.
 */
async function makeCall(
  callIndex: number,
  progress: BatchProgress,
  attempt: BatchAttempt,
  deps: CallDeps,
  results?: StepResults,
): Promise<CallOutcome> {
  const { provider } = attempt.contexts[0]!
  const call = () => callOnce(progress.calls[callIndex]!, attempt, deps, results)
  const begunAt = deps.clock.now()
  let outcome = await call()
  if (outcome.judgement.verdict === 'keyRejected' && provider.tokenRequest && !progress.isRenewed) {
    progress.isRenewed = true
    const refused = await renewToken(progress, attempt, deps)
    if (refused) return { ...outcome, judgement: refused }
    if (progress.calls[callIndex]) outcome = await call()
  }
  outcome.judgement = attempt.channel.recordAnswer(outcome.judgement, { begunAt, now: deps.clock.now() })
  return outcome
}

async function callOnce(
  batch: RequestBatch,
  { contexts, channel }: BatchAttempt,
  deps: CallDeps,
  results?: StepResults,
): Promise<CallOutcome> {
  const { eventIndexes } = batch
  const { provider, script } = contexts[0]!
  const step = results && batch.nextStep?.(results)
  const [request, responseRules] = step && 'request' in step ? [step.request, step.responseRules] : [batch.request, []]
  channel.beginCall(hostOf(request.url))
  const answer = provider.code
    ? await runCustomerCode(request, provider.code, contexts[eventIndexes[0]!]!, deps)
    : await tracedSend(request, provider.host === 'customer', (sent) => deps.send(sent, provider.host))
  if ('status' in answer) deps.recordResponse?.(script.providerId, answer.durationMs)
  const rules = [...responseRules, ...(provider.responseRules ?? [])]
  const batchJudgement = judge({ responseRules: rules }, answer, deps.clock.now())
  const failures = judgePartialFailures(provider, batch, answer, batchJudgement)
  // if every row failed, the first row decides about the channel, whatever the status
  const judgement = failures.size === eventIndexes.length ? failures.get(0)! : batchJudgement
  return { answer, request, judgement, failures }
}

/** Whether a batch was refused as a whole, so that each half is sent by itself. */
const isSplit = (indexes: readonly number[], { judgement, failures }: CallOutcome) =>
  indexes.length > 1 && judgement.reason === 'payloadRefused' && failures.size === 0

/** Records the results of the deliveries of a call. */
function recordOutcome(
  indexes: readonly number[],
  { judgement, failures, answer, request }: CallOutcome,
  { progress, attempt }: { progress: BatchProgress; attempt: RedactedAttempt },
  deps: CallDeps,
): void {
  const isFailed = judgement.verdict !== 'delivered' || failures.size > 0
  // Exchanges of a successful call keep only what all events share: the first user's redactor is enough.
  const getRedactor = () =>
    isFailed ? attempt.redactorFor(progress.token) : redactorOf([attempt.contexts[indexes[0]!]!], progress.token)
  const exchanges = request
    ? exchangeResult({ request, answer, deliveryCount: indexes.length, isFailed }, getRedactor, deps.keep)
    : []
  const judgements =
    failures.size > 0 ? indexes.map((_, row) => failures.get(row) ?? judgementOf('delivered')) : [judgement]
  const persons = new Set(indexes.map((place) => attempt.contexts[place]!.outgoing.person.userId))
  const redactedJudgements = redacted(judgements, getRedactor, persons.size > 1 ? request : undefined)
  indexes.forEach((place, row) => {
    const sent = callDetails(answer, progress.results.get(place)?.sent, exchanges)
    progress.results.set(
      place,
      resultOf(redactedJudgements[row] ?? redactedJudgements[0]!, sent, attempt.contexts[place]!, deps),
    )
  })
}

/** The judgements with redacted messages. `shared`: the request of several people. */
function redacted(judgements: readonly Judgement[], getRedactor: () => Redact, shared?: WireRequest): Judgement[] {
  const texts = judgements.map(({ message = '' }) => message)
  if (texts.every((message) => message === '')) return [...judgements]
  const messages = redactMessages(texts, getRedactor()).map((text) => (shared ? withoutEchoes(text, shared) : text))
  return judgements.map((judgement, n) => ({ ...judgement, ...(messages[n] && { message: messages[n] }) }))
}

const resultOf = (
  judgement: Judgement,
  sent: AttemptDetails,
  context: AttemptContext,
  deps: CallDeps,
): AttemptResult =>
  judgement.verdict === 'delivered' ? { status: 'delivered', sent } : failedResult(judgement, sent, context, deps)

/** The details of all calls so far: the sum of their durations and the status of the last one. */
const callDetails = (
  answer: SendResult,
  before: AttemptDetails | undefined,
  exchanges: readonly Exchange[],
): AttemptDetails => ({
  durationMs: (before?.durationMs ?? 0) + answer.durationMs,
  ...(exchanges.length > 0 && { exchanges: [...(before?.exchanges ?? []), ...exchanges] }),
  ...('status' in answer && { httpStatus: answer.status }),
  ...(answer.codeLog && { message: answer.codeLog }),
})

/**
 * Sends each half of a refused batch by itself. One bad event of n costs about 2 log2(n) more calls; the others are
 * delivered.
 */
async function splitAndRetry(
  indexes: readonly number[],
  { progress, attempt }: { progress: BatchProgress; attempt: BatchAttempt },
  deps: CallDeps,
): Promise<void> {
  const middle = Math.ceil(indexes.length / 2)
  for (const half of [indexes.slice(0, middle), indexes.slice(middle)]) {
    const contexts = half.map((place) => attempt.contexts[place]!)
    const calls = buildBatchRequests(contexts, attempt.test ? { testMode: true } : {}, deps)
    const results = await executeBatch(calls, { ...attempt, contexts }, deps)
    for (const place of half) progress.results.set(place, results.get(attempt.contexts[place]!.delivery.deliveryId)!)
  }
}
