import type { SlotWorker } from '#cluster/cluster.ts'
import { slotOf } from '#cluster/slotOf.ts'
import { openExchangeSampler } from '#journal/exchangeSampler.ts'
import { settleWithPacks } from '#journal/settleWithPacks.ts'
import { openActivity } from '#kit/activity.ts'
import { retryUntilDone } from '#kit/retryUntilDone.ts'
import { openTokenCache } from '#provider/engine/tokenCache.ts'
import { loadPhoneNumbers } from '#provider/form/phone.ts'
import type { DeliveryOutcome, DueDelivery } from '#store/store.ts'
import { type AttemptDeps, attempt } from './attempt.ts'
import type { AttemptContext } from './attemptContext.ts'
import { type AttemptReport, countPending, createAttemptReport } from './attemptReport.ts'
import { openBatchLimits } from './batchLimits.ts'
import { openCaptureRules } from './captureRules.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'
import { responseRecorder } from './deliveryHistograms.ts'
import { type Dispatcher, type InSlot, openDispatcher } from './dispatcher.ts'
import { meterDispatcher } from './dispatcherMetrics.ts'
import { createTimer, pollDue, type WakeableTimer } from './duePoller.ts'
import { expireWaiting } from './expireWaiting.ts'
import { type HeldEvents, openHeldEvents } from './heldEvents.ts'
import { openOutboundEvents } from './outboundEvents.ts'
import { type PlannerDeps, runPlanner } from './planner.ts'
import { runReplays, unlessStopped } from './replayRunner.ts'
import { runRetention } from './runRetention.ts'
import { openScriptSecrets } from './scriptSecrets.ts'

/** A worker that plans and delivers the events of its slots. */
export type Worker = SlotWorker & {
  /** Starts no more calls and waits up to 30 s for those in flight. Unfinished deliveries become due again. */
  stop(): Promise<void>
  /** Attempts in flight. */
  busy(): number
}

const drainMs = 30_000
/** Slots are released after this time even if calls of their tags are still in flight. */
const releaseMs = 15_000

/** Plans incoming events, and delivers due events once it has gained slots, until it is stopped. */
export function startWorker(deps: DeliveryDeps): Worker {
  loadPhoneNumbers()
  const stopping = new AbortController()
  const givingUp = new AbortController()
  const giveUp = givingUp.signal
  const report = createAttemptReport(deps)
  const activity = openActivity()
  const timer = createTimer(deps)
  const plaintexts = openScriptSecrets(deps)
  const captures = openCaptureRules(deps.providers, plaintexts).ofTag
  const events = openOutboundEvents({ ...deps, captures })
  const attemptParts = { events, plaintexts, captures, report }
  const dispatcher = openWorkerDispatcher({ ...deps, ...attemptParts, activity, giveUp }, timer)
  const deciderDeps = { ...deps, events, captures, report, giveUp, activity }
  const heldEvents = openHeldEvents({ ...deciderDeps, dispatcher })
  const gained = Promise.withResolvers<void>()
  const loopDeps = { ...deciderDeps, heldEvents, dispatcher, timer }
  // Only start after the recovery: rows that a poll stores earlier would not count as in flight.
  const loops = gained.promise.then(() => runLoops(loopDeps, stopping.signal))
  return {
    busy: dispatcher.busy,
    async gained(slots) {
      await recover(slots, { ...deps, dispatcher, giveUp })
      gained.resolve()
    },
    changed: timer.wake,
    async release(slots) {
      await activity.ended()
      const released = dispatcher.release(isIn(slots))
      await Promise.race([released, deps.clock.wait(releaseMs, giveUp)])
      await activity.ended() // until the pauses of its channels are written
    },
    lost() {
      givingUp.abort()
      stopping.abort()
      gained.resolve()
    },
    async stop() {
      stopping.abort()
      gained.resolve()
      const drained = Promise.all([loops, dispatcher.drain()])
      await Promise.race([drained, deps.clock.wait(drainMs, giveUp)])
      givingUp.abort()
    },
  }
}

/**
 * Counts the match keys of delivered events. If counting fails, the error is logged and the delivery is unaffected.
 */
const deliveredCounter =
  ({ intakeLog, log }: Pick<DeliveryDeps, 'intakeLog' | 'log'>) =>
  ({ tag, provider, script, outgoing, delivery }: AttemptContext): void => {
    const { scriptId } = script
    try {
      intakeLog.addMatch({ tag, scriptId, provider, place: delivery, outgoing })
    } catch (error) {
      log({ level: 'error', message: 'could not count the match keys of a delivery', scriptId, error })
    }
  }

type WorkerDispatcherDeps = DeliveryDeps &
  Pick<AttemptDeps, 'events' | 'plaintexts' | 'captures'> &
  Pick<PlannerDeps, 'activity' | 'giveUp' | 'report'>

/** The dispatcher that makes the attempts of a worker. */
function openWorkerDispatcher(deps: WorkerDispatcherDeps, timer: WakeableTimer): Dispatcher {
  const batchLimits = openBatchLimits(deps)
  const attemptDeps = {
    ...deps,
    tokens: openTokenCache(deps),
    recordResponse: responseRecorder(deps),
    batchLimits,
    sampleExchanges: openExchangeSampler(deps.keep, deps.clock),
    countDelivered: deliveredCounter(deps),
  }
  const store = { ...deps.store, journal: { ...deps.store.journal, settle: settleWithPacks(deps) } }
  return openDispatcher({
    ...deps,
    store,
    requestRefill: timer.wake,
    batchLimits: batchLimits.of,
    attempt: (deliveries, channel) =>
      unlessStopped(deliveries, deps, (toAttempt) =>
        attempt(toAttempt, channel, attemptDeps).then((outcomes) =>
          reportOutcomes(toAttempt, outcomes, deps.report, deps),
        ),
      ),
  })
}

type LoopDeps = PlannerDeps & { heldEvents: HeldEvents; timer: WakeableTimer }

/** Runs all periodic work of the worker until the signal. */
async function runLoops(deps: LoopDeps, signal: AbortSignal): Promise<void> {
  await Promise.all([
    runPlanner(deps, signal),
    deps.heldEvents.watch(signal),
    runReplays(deps, signal),
    pollDue(deps, signal),
    countPending(deps, signal),
    meterDispatcher(deps, signal),
    expireWaiting(deps, signal),
    runRetention(deps, signal),
  ])
}

/**
 * Makes the deliveries due that the previous owner of the slots left in flight, and restores the pauses of its channels.
 */
async function recover(
  slots: readonly number[],
  deps: DeliveryDeps & Pick<PlannerDeps, 'dispatcher' | 'giveUp'>,
): Promise<void> {
  const work = async () => {
    await deps.store.journal.recoverInFlight(deps.clock.now(), slots)
    const isGained = isIn(slots)
    const isSpread = (tagId: string) => deps.stream.slotFor?.(tagId, '') !== undefined
    await deps.dispatcher.restore((tagId) => isGained({ tagId }) || isSpread(tagId))
  }
  await retryUntilDone('recover the deliveries in flight', work, deps, deps.giveUp)
}

/** Returns a predicate: the place is in one of these slots. */
function isIn(slots: readonly number[]): (place: InSlot) => boolean {
  const set = new Set(slots)
  return ({ tagId, slot = slotOf(tagId) }) => set.has(slot)
}

const endedAt = ({ attempt }: DeliveryOutcome, now: number) => (attempt ? attempt.at + attempt.durationMs : now)

/** Counts and logs the outcomes, and reports dead and refused deliveries to the channel's owner. */
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
    const kind = status === 'dead' ? 'dead' : status === 'refused' ? 'failing' : undefined
    if (kind && reason && reason !== 'erased') onChannelEvent({ kind, tagId, scriptId, reason, at: clock.now() })
    return Object.assign(each, { tagId, delivery, at: each.at ?? endedAt(each, clock.now()) })
  })
}
