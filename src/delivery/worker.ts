import type { SlotWorker } from '#cluster/cluster.ts'
import { slotOf } from '#cluster/slotOf.ts'
import { openExchangeSampler } from '#journal/exchangeSampler.ts'
import { settleWithPacks } from '#journal/settleWithPacks.ts'
import { openActivity } from '#kit/activity.ts'
import { retryUntilDone } from '#kit/retryUntilDone.ts'
import { openTokenCache } from '#provider/engine/tokenCache.ts'
import type { DeliveryOutcome, DueDelivery } from '#store/store.ts'
import { attempt } from './attempt.ts'
import { type AttemptReport, countPending, createAttemptReport } from './attemptReport.ts'
import { openBatchLimits } from './batchLimits.ts'
import { openCaptureRules } from './captureRules.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'
import { responseRecorder } from './deliveryHistograms.ts'
import { openDispatcher } from './dispatcher.ts'
import { meterDispatcher } from './dispatcherMetrics.ts'
import { createTimer, pollDue } from './duePoller.ts'
import { expireWaiting } from './expireWaiting.ts'
import { openHeldEvents } from './heldEvents.ts'
import { openOutboundEvents } from './outboundEvents.ts'
import { runPlanner } from './planner.ts'
import { runReplays, unlessStopped } from './replayRunner.ts'
import { runRetention } from './runRetention.ts'
import { openScriptSecrets } from './scriptSecrets.ts'

/** A worker that plans and delivers the events of its slots. */
export type Worker = SlotWorker & {
  /** Starts no more calls and waits up to 30 s for those in flight. Unfinished deliveries are due again later. */
  stop(): Promise<void>
  /** Attempts in flight. */
  busy(): number
}

const drainMs = 30_000
/** Slots are released after this time even if calls of their tags are in flight. */
const releaseMs = 15_000

/** Plans incoming events, and delivers due ones once it has gained slots, until it is stopped. */
export function startWorker(deps: DeliveryDeps): Worker {
  const stopping = new AbortController()
  const givingUp = new AbortController()
  const giveUp = givingUp.signal
  const report = createAttemptReport(deps)
  const activity = openActivity()
  const timer = createTimer(deps)
  const plaintexts = openScriptSecrets(deps)
  const captures = openCaptureRules(deps.providers, plaintexts).ofTag
  const events = openOutboundEvents({ ...deps, captures })
  const batchLimits = openBatchLimits(deps)
  const attemptDeps = {
    ...deps,
    events,
    plaintexts,
    captures,
    tokens: openTokenCache(deps),
    recordResponse: responseRecorder(deps),
    batchLimits,
    sampleExchanges: openExchangeSampler(deps.keep, deps.clock),
  }
  const store = { ...deps.store, journal: { ...deps.store.journal, settle: settleWithPacks(deps) } }
  const dispatcher = openDispatcher({
    ...deps,
    store,
    activity,
    giveUp,
    requestRefill: timer.wake,
    batchLimits: batchLimits.of,
    attempt: (deliveries, channel) =>
      unlessStopped(deliveries, deps, async (toAttempt) =>
        reportOutcomes(toAttempt, await attempt(toAttempt, channel, attemptDeps), report, deps),
      ),
  })
  const deciderDeps = { ...deps, events, captures, report, giveUp, activity }
  const heldEvents = openHeldEvents({ ...deciderDeps, dispatcher })
  const gained = Promise.withResolvers<void>()
  const loops = [
    runPlanner({ ...deciderDeps, heldEvents, dispatcher }, stopping.signal),
    heldEvents.watch(stopping.signal),
    runReplays({ ...deciderDeps, dispatcher }, stopping.signal),
    gained.promise.then(() => pollDue({ ...deps, dispatcher, timer }, stopping.signal)),
    countPending(deps, stopping.signal),
    meterDispatcher({ ...deps, dispatcher }, stopping.signal),
    expireWaiting({ ...deps, dispatcher, activity }, stopping.signal),
    runRetention(deps, stopping.signal),
  ]
  return {
    busy: dispatcher.busy,
    async gained(slots) {
      const isGained = isIn(slots)
      const recover = async () => {
        await deps.store.journal.recoverInFlight(deps.clock.now(), slots)
        await dispatcher.restore(isGained)
      }
      await retryUntilDone('recover the deliveries in flight', recover, deps, giveUp)
      gained.resolve()
    },
    changed: timer.wake,
    async release(slots) {
      await activity.ended()
      const released = dispatcher.release(isIn(slots))
      await Promise.race([released, deps.clock.wait(releaseMs, giveUp)])
      await activity.ended() // the pauses of its channels
    },
    lost() {
      givingUp.abort()
      stopping.abort()
      gained.resolve()
    },
    async stop() {
      stopping.abort()
      gained.resolve()
      const drained = Promise.all([...loops, dispatcher.drain()])
      await Promise.race([drained, deps.clock.wait(drainMs, giveUp)])
      givingUp.abort()
    },
  }
}

/** Whether a tag lies in one of these slots. */
function isIn(slots: readonly number[]): (tagId: string) => boolean {
  const set = new Set(slots)
  return (tagId) => set.has(slotOf(tagId))
}

const endedAt = ({ attempt }: DeliveryOutcome, now: number) => (attempt ? attempt.at + attempt.durationMs : now)

/** Counts and logs the outcomes, and reports dead deliveries to the owner of the channel. */
function reportOutcomes(
  deliveries: readonly DueDelivery[],
  outcomes: readonly DeliveryOutcome[],
  report: AttemptReport,
  { onChannelEvent, clock }: Pick<DeliveryDeps, 'onChannelEvent' | 'clock'>,
): DeliveryOutcome[] {
  return deliveries.map((delivery, place) => {
    const each = outcomes[place]!
    const { tagId, scriptId } = delivery
    const { status, reason } = each
    report.attempted(delivery, each)
    if (status === 'dead' && reason && reason !== 'erased')
      onChannelEvent({ kind: 'dead', tagId, scriptId, reason, at: clock.now() })
    return { ...each, tagId, delivery, at: each.at ?? endedAt(each, clock.now()) }
  })
}
