import type { ExchangeSampler } from '#journal/exchangeSampler.ts'
import { isTracing, linksTo, traced } from '#kit/trace.ts'
import { isCustomerAddress } from '#provider/form/hostKind.ts'
import type { DeliveryOutcome, DueDelivery } from '#store/store.ts'
import {
  type AttemptContext,
  type AttemptContextDeps,
  type LoadedAttempt,
  loadAttemptContext,
} from './attemptContext.ts'
import type { AttemptResult } from './attemptResult.ts'
import { internalFailure, simulatedResult } from './attemptResults.ts'
import type { ScriptBatchLimits } from './batchLimits.ts'
import { buildBatchRequests } from './buildBatchRequests.ts'
import type { CallControl } from './channel.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'
import { type CallDeps, executeBatch } from './executeBatch.ts'

export type AttemptDeps = Pick<DeliveryDeps, 'environment'> &
  AttemptContextDeps &
  CallDeps & {
    batchLimits?: Pick<ScriptBatchLimits, 'learn'>
    /** If absent, `keep` applies to every attempt. */
    sampleExchanges?: ExchangeSampler
    /** Absent for test events, which are not counted. */
    countDelivered?: (context: AttemptContext) => void
  }

/**
 * Makes one attempt for deliveries of one channel. Uses the script as it is deployed now, so that a changed key applies to
 * waiting deliveries. Returns the outcomes in the order of the deliveries. Never throws.
 */
export function attempt(
  deliveries: readonly DueDelivery[],
  channel: CallControl,
  deps: AttemptDeps,
): Promise<DeliveryOutcome[]> {
  const at = deps.clock.now()
  const loading = deliveries.map((delivery) => loadOrFail(delivery, deps))
  const go = (contexts: readonly LoadedAttempt[]) => attemptLoaded(contexts, { deliveries, channel, at }, deps)
  return loading.every(isAtHand) ? go(loading) : Promise.all(loading).then(go)
}

type Attempt = { deliveries: readonly DueDelivery[]; channel: CallControl; at: number }
const isReady = (context: LoadedAttempt): context is AttemptContext => 'provider' in context

function attemptLoaded(
  contexts: readonly LoadedAttempt[],
  { deliveries, channel, at }: Attempt,
  deps: AttemptDeps,
): Promise<DeliveryOutcome[]> {
  const ready = contexts.filter(isReady)
  if (ready[0]) deps.batchLimits?.learn(ready[0])
  const end = (results: readonly AttemptResult[]) => {
    countDelivered(ready, results, deps)
    let next = 0
    return deliveries.map((delivery, place) => {
      const context = contexts[place]!
      return isReady(context)
        ? outcomeOf(delivery, results[next++]!, at, context.emailMatch)
        : outcomeOf(delivery, context, at)
    })
  }
  const fail = (error: unknown) => end(ready.map(({ delivery }) => internalFailure(error, delivery, deps)))
  try {
    return tracedDelivery(ready, () => deliver(ready, channel, deps)).then(end, fail)
  } catch (error) {
    return Promise.resolve(fail(error))
  }
}

function countDelivered(
  contexts: readonly AttemptContext[],
  results: readonly AttemptResult[],
  { countDelivered: count }: Pick<AttemptDeps, 'countDelivered'>,
): void {
  if (!count) return
  for (const [place, context] of contexts.entries()) if (results[place]!.status === 'delivered') count(context)
}

const isAtHand = (loading: LoadedAttempt | Promise<LoadedAttempt>): loading is LoadedAttempt =>
  !(loading instanceof Promise)

function loadOrFail(delivery: DueDelivery, deps: AttemptDeps): LoadedAttempt | Promise<LoadedAttempt> {
  const fail = (error: unknown) => internalFailure(error, delivery, deps)
  try {
    const loading = loadAttemptContext(delivery, deps)
    return loading instanceof Promise ? loading.catch(fail) : loading
  } catch (error) {
    return fail(error)
  }
}

/** Runs an attempt in a span that is linked to the requests that sent its events. */
function tracedDelivery<Result>(contexts: readonly AttemptContext[], work: () => Promise<Result>): Promise<Result> {
  const [first] = contexts
  if (!first || !isTracing()) return work()
  const attributes = {
    'aglet.provider': first.script.providerId,
    'aglet.script': first.script.scriptId,
    'aglet.tag': first.tag.tagId,
    'aglet.deliveries': contexts.length,
  }
  return traced('attempt', { attributes, links: linksTo(contexts.map(({ outgoing }) => outgoing.traceparent)) }, work)
}

function outcomeOf(
  { deliveryId, attempts }: DueDelivery,
  { sent, ...result }: AttemptResult,
  at: number,
  joined?: string,
): DeliveryOutcome {
  const outcome: DeliveryOutcome = { deliveryId, ...result }
  if (sent) outcome.attempt = { deliveryId, number: attempts + 1, at, ...sent, ...(joined && { joined }) }
  return outcome
}

/**
 * In the sandbox environment a vendor is called in its own test mode or not at all; a customer's own address is called.
 */
function deliver(
  contexts: readonly AttemptContext[],
  channel: CallControl,
  deps: AttemptDeps,
): Promise<AttemptResult[]> {
  const first = contexts[0]
  if (!first) return Promise.resolve([])
  const keep = deps.sampleExchanges?.(first.tag.tagId) ?? deps.keep
  const sampledDeps = keep === deps.keep ? deps : { ...deps, keep }
  return deps.environment === 'production' || isCustomerAddress(first.provider.host)
    ? executeBatch(buildBatchRequests(contexts, {}, deps), { contexts, channel }, sampledDeps)
    : attemptAllInSandbox(contexts, channel, sampledDeps)
}

async function attemptAllInSandbox(
  contexts: readonly AttemptContext[],
  channel: CallControl,
  deps: AttemptDeps,
): Promise<AttemptResult[]> {
  const results: AttemptResult[] = []
  for (const context of contexts) results.push(await attemptInSandbox(context, channel, deps))
  return results
}

async function attemptInSandbox(
  context: AttemptContext,
  channel: CallControl,
  deps: AttemptDeps,
): Promise<AttemptResult> {
  const { calls, results } = buildBatchRequests([context], {}, deps)
  const knownResult = results.get(0)
  if (knownResult) return knownResult
  const testRequests = context.provider.toTestMode && buildBatchRequests([context], { testMode: true }, deps)
  if (!testRequests || testRequests.calls.length === 0)
    return simulatedResult(
      calls.map(({ request }) => request),
      context,
      deps.keep,
    )
  return (await executeBatch(testRequests, { contexts: [context], channel, test: true }, deps))[0]!
}
