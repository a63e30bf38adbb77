import type { RequestBatch } from '#provider/engine/buildBatches.ts'
import type { Judgement } from '#provider/engine/judgement.ts'
import { type NextStep, type StepResults, stepResult } from '#provider/engine/nextStep.ts'
import type { TokenCache } from '#provider/engine/tokenCache.ts'
import { type AttemptContext, tokenOf } from './attemptContext.ts'
import type { AttemptResult } from './attemptResult.ts'
import { buildFailure, failedResult } from './attemptResults.ts'
import { type BuiltBatch, buildBatchRequests } from './buildBatchRequests.ts'
import {
  type Caller,
  type CallOutcome,
  callOnce,
  type OneCallDeps,
  type RedactorFor,
  redacted,
  redactorForAll,
  resultsOf,
} from './callOutcome.ts'

export type CallDeps = OneCallDeps & { tokens: TokenCache }

/**
 * An attempt for the deliveries of one channel. `test`: use the vendor's own test mode. `redactorFor` returns the
 * redactor for an access token. A split batch keeps the redactor of the whole batch, which redacts all of its users.
 */
type BatchAttempt = Caller & { test?: true; redactorFor?: RedactorFor }
type RedactedAttempt = BatchAttempt & Required<Pick<BatchAttempt, 'redactorFor'>>

/** The calls of a batch and the results so far, by the index of the delivery in the batch. */
type BatchProgress = {
  calls: readonly RequestBatch[]
  results: (AttemptResult | undefined)[]
  isRenewed: boolean
  token: string
}

/**
 * Makes the calls in order and returns the result of each delivery, in the order of the deliveries. If a delivery takes
 * several calls, those after a failed call are not made.
 */
export function executeBatch(built: BuiltBatch, input: BatchAttempt, deps: CallDeps): Promise<AttemptResult[]> {
  const redactorFor = input.redactorFor ?? redactorForAll(input.contexts)
  const attempt: RedactedAttempt = { ...input, redactorFor }
  const only = onlyCall(built, input)
  return only ? makeOnlyCall(only, attempt, deps) : makeCalls(built, attempt, deps)
}

/** The call of a batch that has one delivery and one call; else undefined. */
function onlyCall({ calls, results }: BuiltBatch, { contexts }: BatchAttempt): RequestBatch | undefined {
  const [call] = calls
  const isOnly = calls.length === 1 && contexts.length === 1 && results.size === 0
  return isOnly && !call!.nextStep && !contexts[0]!.provider.tokenRequest ? call : undefined
}

/** Handles nearly all calls: awaits only the answer. */
function makeOnlyCall(call: RequestBatch, attempt: RedactedAttempt, deps: CallDeps): Promise<AttemptResult[]> {
  const { channel, contexts, redactorFor } = attempt
  const startedAt = deps.clock.now()
  const stop = channel.stopReason(startedAt)
  if (stop) return Promise.resolve([waiting(stop, deps)])
  return callOnce(call, attempt, deps).then((outcome) => {
    outcome.judgement = channel.recordAnswer(outcome.judgement, { startedAt, now: deps.clock.now() })
    return resultsOf(outcome, contexts, { redactorFor, token: '' }, deps)
  })
}

async function makeCalls(
  { calls, results }: BuiltBatch,
  attempt: RedactedAttempt,
  deps: CallDeps,
): Promise<AttemptResult[]> {
  const { contexts } = attempt
  const known = contexts.map((_, place) => results.get(place))
  const progress: BatchProgress = { calls, results: known, isRenewed: false, token: '' }
  const needsToken = calls.length > 0 && contexts[0]!.provider.tokenRequest
  const refused = needsToken && (await renewToken(progress, attempt, deps))
  if (refused) {
    const judgement = redacted([refused], () => attempt.redactorFor(progress.token))[0]!
    return contexts.map((context, place) => progress.results[place] ?? notSent(judgement, context, deps))
  }
  for (let callIndex = 0; callIndex < progress.calls.length; callIndex++) {
    const { eventIndexes } = progress.calls[callIndex]!
    if (eventIndexes.some((place) => isOver(progress.results[place]))) continue
    const stop = attempt.channel.stopReason(deps.clock.now())
    if (stop) for (const place of eventIndexes) progress.results[place] = waiting(stop, deps)
    else if (progress.calls[callIndex]!.nextStep) await sendSteps(callIndex, progress, attempt, deps)
    else {
      const outcome = await makeCall(callIndex, progress, attempt, deps)
      if (isSplit(eventIndexes, outcome)) await splitAndRetry(eventIndexes, { progress, attempt }, deps)
      else recordOutcome(eventIndexes, outcome, { progress, attempt }, deps)
    }
  }
  return contexts.map((_, place) => progress.results[place]!)
}

const isOver = (result: AttemptResult | undefined) => result !== undefined && result.status !== 'delivered'
const notSent = (refused: Judgement, context: AttemptContext, deps: CallDeps) =>
  failedResult(refused, { durationMs: 0 }, context, deps)

/** The result of a delivery whose channel was stopped before the call. */
const waiting = (reason: NonNullable<AttemptResult['reason']>, { clock }: CallDeps): AttemptResult => ({
  status: 'pending',
  reason,
  nextAt: clock.now(),
  isUncounted: true,
})

/**
 * Fetches an access token if the provider needs one, and rebuilds the calls with it. Returns a judgement if it
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
  const startedAt = deps.clock.now()
  const fetched = await deps.tokens.get(owner)
  if ('refused' in fetched) {
    return channel.recordAnswer(fetched.refused, { startedAt, now: deps.clock.now() })
  }
  const { calls, results } = buildBatchRequests(
    contexts,
    { token: fetched.token, ...(test && { testMode: true }) },
    deps,
  )
  for (const [place, result] of results) progress.results[place] = result
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
  const finish = (result: AttemptResult) => {
    const isAgain = result.status === 'pending' && results.length > 0
    progress.results[place] = isAgain ? { ...result, stepResults: results } : result
  }
  for (;;) {
    let step: ReturnType<NextStep>
    try {
      step = progress.calls[callIndex]?.nextStep?.(results)
    } catch (error) {
      return finish(buildFailure(error, context.delivery, deps))
    }
    if (!step) return
    const sent = progress.results[place]?.sent
    if ('skipped' in step) return finish({ status: 'skipped', reason: step.skipped, ...(sent && { sent }) })
    const stop = attempt.channel.stopReason(deps.clock.now())
    if (stop) return finish({ ...waiting(stop, deps), ...(sent && { sent }) })
    const outcome = await makeCall(callIndex, progress, attempt, deps, results)
    recordOutcome([place], outcome, { progress, attempt }, deps)
    const result = progress.results[place]!
    if (result.status !== 'delivered') return finish(result)
    results.push(stepResult(step, outcome.answer))
  }
}

/**
 * Makes a call. `results`: of the previous steps, if the call is a later step. If the vendor rejects the token, makes
 * the call once more with a new one.
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
  const startedAt = deps.clock.now()
  let outcome = await call()
  if (outcome.judgement.verdict === 'keyRejected' && provider.tokenRequest && !progress.isRenewed) {
    progress.isRenewed = true
    const refused = await renewToken(progress, attempt, deps)
    if (refused) return { ...outcome, judgement: refused }
    if (progress.calls[callIndex]) outcome = await call()
  }
  outcome.judgement = attempt.channel.recordAnswer(outcome.judgement, { startedAt, now: deps.clock.now() })
  return outcome
}

/** True if a batch was refused as a whole; each half is then sent separately. */
const isSplit = (indexes: readonly number[], { judgement, failures }: CallOutcome) =>
  indexes.length > 1 && judgement.reason === 'payloadRefused' && failures.size === 0

/** Records the results of the deliveries of a call. */
function recordOutcome(
  places: readonly number[],
  outcome: CallOutcome,
  { progress, attempt }: { progress: BatchProgress; attempt: RedactedAttempt },
  deps: CallDeps,
): void {
  const contexts = places.map((place) => attempt.contexts[place]!)
  const before = (row: number) => progress.results[places[row]!]?.sent
  const call = { redactorFor: attempt.redactorFor, token: progress.token, before }
  for (const [row, result] of resultsOf(outcome, contexts, call, deps).entries())
    progress.results[places[row]!] = result
}

/**
 * Sends each half of a refused batch separately. One bad event of n costs about 2 log2(n) more calls; the others are
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
    for (const [n, place] of half.entries()) progress.results[place] = results[n]!
  }
}
