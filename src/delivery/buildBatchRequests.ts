import { buildBatches, type RequestBatch } from '#provider/engine/buildBatches.ts'
import { type BuildInput, buildRequests } from '#provider/engine/buildRequests.ts'
import { eventIssues } from '#provider/form/eventIssues.ts'
import type { AttemptContext } from './attemptContext.ts'
import type { AttemptResult } from './attemptResult.ts'
import { buildFailure, recordedResult } from './attemptResults.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'

/**
 * The requests for deliveries of one channel, in their order. `results` has the result of each delivery for which no
 * request is made, by its index in the batch.
 */
export type BuiltBatch = { calls: readonly RequestBatch[]; results: ReadonlyMap<number, AttemptResult> }

type BuildOptions = Pick<BuildInput, 'token' | 'testMode'>
export type CallsDeps = Pick<DeliveryDeps, 'clock' | 'log' | 'random' | 'keep'>

const inputOf = (
  { delivery, outgoing, script, secrets }: AttemptContext,
  options: BuildOptions,
  now: number,
): BuildInput => ({
  ...outgoing,
  ...options,
  secrets,
  purchaseValueMode: script.purchaseValueMode,
  ...(delivery.stepResults && { stepResults: delivery.stepResults }),
  now,
})

/** Builds the requests. If building throws for one delivery, only that delivery fails. */
export function buildBatchRequests(
  contexts: readonly AttemptContext[],
  options: BuildOptions,
  deps: CallsDeps,
): BuiltBatch {
  const single = contexts[0]
  if (!single || contexts.length > 1) return buildMany(contexts, options, deps)
  try {
    return buildOne(single, options, deps)
  } catch (error) {
    return { calls: [], results: new Map([[0, buildFailure(error, single.delivery, deps)]]) }
  }
}

const first: readonly number[] = [0]
const noResults: BuiltBatch['results'] = new Map()

function buildOne(context: AttemptContext, options: BuildOptions, deps: CallsDeps): BuiltBatch {
  const { provider, script, outgoing } = context
  const built = buildRequests(script.providerId, provider, inputOf(context, options, deps.clock.now()))
  if ('skipped' in built) return { calls: [], results: new Map([[0, { status: 'skipped', reason: built.skipped }]]) }
  if (provider.journalLines)
    return {
      calls: [],
      results: new Map([[0, recordedResult(provider.journalLines(outgoing.event, eventIssues), context)]]),
    }
  if (built.requests.length === 0)
    return { calls: [], results: new Map([[0, { status: 'skipped', reason: 'filtered' }]]) }
  const { requests, nextStep } = built
  const calls = requests.map((request) =>
    nextStep ? { request, eventIndexes: first, nextStep } : { request, eventIndexes: first },
  )
  return { calls, results: noResults }
}

function buildMany(contexts: readonly AttemptContext[], options: BuildOptions, deps: CallsDeps): BuiltBatch {
  const { script, provider } = contexts[0]!
  const now = deps.clock.now()
  try {
    const inputs = contexts.map((context) => inputOf(context, options, now))
    const { batches, skipped } = buildBatches(script.providerId, provider, inputs)
    const results = skipped.map(({ at, skipped: reason }) => [at, { status: 'skipped', reason }] as const)
    return { calls: batches, results: new Map(results) }
  } catch {
    return concatBatches(contexts.map((context) => buildBatchRequests([context], options, deps))) // isolates the event that throws
  }
}

/** Concatenates batches of one delivery each. */
function concatBatches(built: readonly BuiltBatch[]): BuiltBatch {
  const calls = built.flatMap((each, at) => each.calls.map((call) => ({ ...call, eventIndexes: [at] })))
  const results = built.flatMap((each, at) => Array.from(each.results.values(), (result) => [at, result] as const))
  return { calls, results: new Map(results) }
}
