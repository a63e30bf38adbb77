import type { TagEvent } from '#contract/event.ts'
import { type EventContext, sealRecord } from '#event/record.ts'
import { newUserId } from '#kit/id.ts'
import { openTokenCache } from '#provider/engine/tokenCache.ts'
import { createSnapshots, type Snapshot } from '#script/snapshot.ts'
import type { DeliveryOutcome, DueDelivery, PlannedEvent } from '#store/store.ts'
import { type AttemptDeps, attempt } from './attempt.ts'
import { loadAttemptContext } from './attemptContext.ts'
import type { AttemptResult } from './attemptResult.ts'
import { simulatedResult } from './attemptResults.ts'
import { buildBatchRequests } from './buildBatchRequests.ts'
import { openChannel } from './channel.ts'
import { type RedecideDeps, redecide } from './decide.ts'
import { dueOf } from './dispatchPlanned.ts'
import { type EventsDeps, openOutboundEvents } from './outboundEvents.ts'
import type { Plaintexts } from './scriptSecrets.ts'

type TestRunDeps = Omit<AttemptDeps, 'events' | 'plaintexts' | 'snapshots' | 'tokens'> &
  Omit<RedecideDeps, 'giveUp'> &
  EventsDeps

/**
 * `tag` has the scripts and `plaintexts` returns their secrets. `scriptIds`: the tested scripts, by default all.
 * `context`: of the call that sent the event; by default that of a trusted server. `send: 'testMode'` only sends to
 * vendors with a test mode.
 */
type TestInput = {
  tag: Snapshot
  scriptIds?: ReadonlySet<string>
  event: TagEvent
  userId?: string | undefined
  context?: EventContext
  plaintexts: Plaintexts
  send: boolean | 'testMode'
}

/** The plan of a test event, and the outcome of each pending delivery. */
export type TestResult = { planned: PlannedEvent; outcomes: readonly DeliveryOutcome[] }
export type RunTest = (input: TestInput) => Promise<TestResult>

/** Timeout of the lookups of a test. */
const timeoutMs = 10_000
const position = 0

/** The context of an event from a trusted server. */
const contextOf = ({ tag, userId }: TestInput, receivedAt: number): EventContext => ({
  tagId: tag.tagId,
  teamId: tag.teamId,
  userId: userId ?? newUserId(),
  hasExplicitUserId: userId !== undefined,
  trusted: true,
  receivedAt,
})

/** Builds the requests of a delivery completely without sending them. */
async function simulateDelivery(delivery: DueDelivery, deps: AttemptDeps): Promise<DeliveryOutcome> {
  const { deliveryId } = delivery
  const context = await loadAttemptContext(delivery, deps)
  if (!('provider' in context)) return { deliveryId, ...context }
  const { calls, results } = buildBatchRequests([context], {}, deps)
  const requests = calls.map(({ request }) => request)
  const { sent, ...result }: AttemptResult = results.get(0) ?? simulatedResult(requests, context, deps.keep)
  const record = sent && { deliveryId, number: 1, at: deps.clock.now(), ...sent }
  return { deliveryId, ...result, ...(record && { attempt: record }) }
}

const isSent = ({ providerId }: DueDelivery, send: TestInput['send'], { providers }: TestRunDeps): boolean =>
  send === 'testMode' ? providers[providerId]?.toTestMode !== undefined : send

/**
 * Plans an event and makes one attempt for each of its deliveries, without the stream, the journal, the profiles and the
 * breakers of the channels: nothing is stored, counted or retried.
 */
export function openTestRun(deps: TestRunDeps): RunTest {
  return async (input) => {
    const { tag, event, plaintexts, scriptIds, send } = input
    const context = input.context ?? contextOf(input, deps.clock.now())
    const payload = sealRecord([{ context, body: Buffer.from(JSON.stringify(event)) }], context, deps.keys)
    const events = openOutboundEvents(deps)
    const record = events.open({ position, payload }, tag)
    const { planned } = await redecide(record, 0, tag, { ...deps, giveUp: AbortSignal.timeout(timeoutMs) })
    const deliveries = planned.deliveries.filter(({ scriptId }) => !scriptIds || scriptIds.has(scriptId))
    const attemptDeps: AttemptDeps = {
      ...deps,
      // in this environment an attempt only uses the vendors' test mode
      ...(send === 'testMode' && { environment: 'sandbox' as const }),
      events,
      plaintexts,
      snapshots: createSnapshots([tag]),
      tokens: openTokenCache({ send: deps.send, clock: deps.clock }),
      keep: { ...deps.keep, bodies: 'all' },
    }
    const pending = deliveries.filter(({ status }) => status === 'pending').map((each) => dueOf(planned, each))
    const outcomes = await Promise.all(
      pending.map(async (delivery) =>
        isSent(delivery, send, deps)
          ? (await attempt([delivery], openChannel(delivery.scriptId), attemptDeps))[0]!
          : simulateDelivery(delivery, attemptDeps),
      ),
    )
    return { planned: { ...planned, deliveries }, outcomes }
  }
}
