import type { ExchangeSampler } from '#journal/exchangeSampler.ts'
import { isTracing, linksTo, traced } from '#kit/trace.ts'
import { isCustomerAddress } from '#provider/form/hostKind.ts'
import type { AttemptRecord, DeliveryOutcome, DueDelivery } from '#store/store.ts'
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
    /** Absent where the exchanges of each attempt are kept. */
    sampleExchanges?: ExchangeSampler
    /** Absent where deliveries are not counted, as those of a test event. */
    countDelivered?: (context: AttemptContext) => void
  }

/**
 * Makes one attempt for deliveries of one channel. Uses the script as it is deployed now, so that a changed key applies to waiting deliveries. Returns the outcomes in the order of the
 * deliveries. Never throws.
 */
export async function attempt(
  deliveries: readonly DueDelivery[],
  channel: CallControl,
  deps: AttemptDeps,
): Promise<DeliveryOutcome[]> {
  const at = deps.clock.now()
  const loading = deliveries.map((delivery) => loadOrFail(delivery, deps))
  const contexts = loading.every(isAtHand) ? loading : await Promise.all(loading)
  const loaded = contexts.filter((context) => 'provider' in context)
  if (loaded[0]) deps.batchLimits?.learn(loaded[0])
  const results = await tracedDelivery(loaded, () => deliver(loaded, channel, deps)).catch(
    (error) => new Map(loaded.map(({ delivery }) => [delivery.deliveryId, internalFailure(error, delivery, deps)])),
  )
  if (deps.countDelivered)
    for (const context of loaded)
      if (results.get(context.delivery.deliveryId)?.status === 'delivered') deps.countDelivered(context)
  return deliveries.map((delivery, place) => {
    const context = contexts[place]!
    return 'provider' in context
      ? outcomeOf(delivery, results.get(delivery.deliveryId)!, at, context.emailMatch)
      : outcomeOf(delivery, context, at)
  })
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

/** Runs an attempt inside a span that links to the requests by which its events came. */
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
  delivery: DueDelivery,
  { sent, ...result }: AttemptResult,
  at: number,
  joined?: string,
): DeliveryOutcome {
  const { deliveryId } = delivery
  const record = sent && { deliveryId, number: delivery.attempts + 1, at, ...sent, ...(joined && { joined }) }
  return { deliveryId, ...result, ...(record && { attempt: record satisfies AttemptRecord }) }
}

/**
 * In the sandbox environment a vendor is called in its own test mode or not at all; a customer's own address is called.
 */
async function deliver(
  contexts: readonly AttemptContext[],
  channel: CallControl,
  deps: AttemptDeps,
): Promise<Map<string, AttemptResult>> {
  const first = contexts[0]
  if (!first) return new Map()
  const keep = deps.sampleExchanges?.(first.tag.tagId) ?? deps.keep
  const sampledDeps = keep === deps.keep ? deps : { ...deps, keep }
  if (deps.environment === 'production' || isCustomerAddress(first.provider.host))
    return executeBatch(buildBatchRequests(contexts, {}, deps), { contexts, channel }, sampledDeps)
  const results = new Map<string, AttemptResult>()
  for (const context of contexts)
    results.set(context.delivery.deliveryId, await attemptInSandbox(context, channel, sampledDeps))
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
  const attempted = await executeBatch(testRequests, { contexts: [context], channel, test: true }, deps)
  return attempted.get(context.delivery.deliveryId)!
}
