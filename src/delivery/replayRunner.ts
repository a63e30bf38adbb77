import type { SlotOwnership } from '#cluster/cluster.ts'
import type { Activity } from '#kit/activity.ts'
import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import type { Snapshot, Snapshots } from '#script/snapshot.ts'
import type { ReplayCandidate, ReplayRecord } from '#store/replays.ts'
import type { DeliveryOutcome, DueDelivery, Store } from '#store/store.ts'
import type { Dispatcher } from './dispatcher.ts'
import { addToTally, decideReplay, type ReplayDecisionDeps } from './replayDecision.ts'

type ReplayRunnerDeps = ReplayDecisionDeps & {
  clock: Clock
  log: Log
  store: Pick<Store, 'replays'> & { journal: Pick<Store['journal'], 'nameUnreadable'> }
  snapshots: Pick<Snapshots, 'get'>
  dispatcher: Pick<Dispatcher, 'markStored'>
  ownership: Pick<SlotOwnership, 'owns'>
  activity: Activity
}

/** The poll interval for new replays, and the maximum events per slice. */
const pollMs = 1_000
const sliceSize = 200
/** The maximum pending deliveries of one replay, so that stopping a replay reverts few. */
const maxPending = 5_000

/** A slice reads all deliveries of its events, which are more if the tag has many channels. */
const deliveriesPerSlice = 2_000
const minSlice = 10

/**
 * Runs the requested replays until the signal. A tag runs one replay at a time, and each round runs one slice per team, so
 * that a team with many tags gets no more turns. A replay resumes after a crash.
 */
export async function runReplays(deps: ReplayRunnerDeps, signal: AbortSignal): Promise<void> {
  for (let round = 0; !signal.aborted; round++) {
    const isBusy = await deps.activity
      .run(() => runRound(deps, round))
      .catch((error) => {
        deps.log({ level: 'error', message: 'could not continue the replays', error })
        return false
      })
    if (!isBusy) await deps.clock.wait(pollMs, signal)
  }
}

/** Runs one slice per team; true if any team can continue at once. An error of one team delays no other. */
async function runRound(deps: ReplayRunnerDeps, round: number): Promise<boolean> {
  const unfinished = (await deps.store.replays.unfinished()).filter(({ tagId }) => deps.ownership.owns(tagId))
  let isBusy = false
  for (const [teamId, replays] of Map.groupBy(unfinished, (replay) => replay.teamId))
    isBusy =
      (await runOfTeam(replays, deps, round).catch((error) => {
        deps.log({ level: 'error', message: 'could not continue the replays of a team', teamId, error })
        return false
      })) || isBusy
  return isBusy
}

/** Runs a slice of the first replay of one of the team's tags. The next round starts with another tag. */
async function runOfTeam(replays: readonly ReplayRecord[], deps: ReplayRunnerDeps, round: number): Promise<boolean> {
  const running: ReplayRecord[] = []
  for (const replay of replays) {
    if (replay.state === 'stopping') await revertUnsent(replay, deps)
    else if (replay.state === 'sending') await endWhenSent(replay, deps)
    else if (!running.some(({ tagId }) => tagId === replay.tagId)) running.push(replay)
  }
  const first = running.length > 0 ? round % running.length : 0
  for (const replay of [...running.slice(first), ...running.slice(0, first)])
    if (await runSlice(replay, deps)) return true
  return false
}

/** Requeues the next deliveries of a replay; true if it can continue at once. */
async function runSlice(replay: ReplayRecord, deps: ReplayRunnerDeps): Promise<boolean> {
  const { replayId, tagId, filter, cursor, tally } = replay
  const now = deps.clock.now()
  const tag = deps.snapshots.get(tagId)
  if (!tag) {
    await deps.store.replays.saveProgress(replayId, { state: 'stopped', tally, endedAt: now })
    return false
  }
  const pending = await deps.store.replays.pendingByScript(replayId, maxPending)
  if (sum(pending) >= maxPending) return false
  const page = await deps.store.replays.candidates(tagId, filter, cursor, sliceOf(tag))
  const decisions = await decideReplay(page.rows, tag, deps)
  const planned = new Set(decisions.flatMap((each) => each.planned ?? []))
  if (planned.size > 0) await deps.store.journal.nameUnreadable([...planned])
  const requeued = decisions.filter(({ skipReason }) => !skipReason).map(({ candidate }) => candidate)
  const state = page.cursor === undefined ? 'sending' : 'running'
  await deps.store.replays.saveProgress(replayId, {
    state,
    tally: addToTally(tally, decisions),
    startedAt: now,
    ...(page.cursor !== undefined && { cursor: page.cursor }),
    requeued: requeued,
    nextAt: now,
  })
  for (const scriptId of scriptsOf(requeued)) deps.dispatcher.markStored(scriptId, 'replay')
  return state === 'running' || requeued.length === 0
}

const sliceOf = ({ scripts }: Snapshot) =>
  Math.max(minSlice, Math.min(sliceSize, Math.floor(deliveriesPerSlice / Math.max(1, scripts.length))))

const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((one, other) => one + other, 0)
const scriptsOf = (candidates: readonly ReplayCandidate[]) => new Set(candidates.map(({ scriptId }) => scriptId))

async function endWhenSent({ replayId, tally }: ReplayRecord, deps: ReplayRunnerDeps): Promise<void> {
  const pending = await deps.store.replays.pendingByScript(replayId, 1)
  if (sum(pending) === 0)
    await deps.store.replays.saveProgress(replayId, { state: 'done', tally, endedAt: deps.clock.now() })
}

/** Reverts unsent deliveries to their earlier status. Deliveries in flight end first; the next poll checks again. */
async function revertUnsent({ replayId, tally }: ReplayRecord, deps: ReplayRunnerDeps): Promise<void> {
  const { replays } = deps.store
  await replays.revertPending(replayId)
  if (sum(await replays.pendingByScript(replayId, 1)) > 0) return
  await replays.saveProgress(replayId, { state: 'stopped', tally, endedAt: deps.clock.now() })
}

/**
 * Attempts the deliveries, except those whose replay was stopped while they were in memory: these keep their status
 * in the journal.
 */
export const unlessStopped = (
  deliveries: readonly DueDelivery[],
  deps: UnlessStoppedDeps,
  attempt: (deliveries: readonly DueDelivery[]) => Promise<DeliveryOutcome[]>,
): Promise<DeliveryOutcome[]> =>
  deliveries.some(({ priority }) => priority === 'replay')
    ? attemptUnstopped(deliveries, deps, attempt)
    : attempt(deliveries)

type UnlessStoppedDeps = { store: { replays: Pick<Store['replays'], 'statusOf'> }; log: Log }

async function attemptUnstopped(
  deliveries: readonly DueDelivery[],
  { store, log }: UnlessStoppedDeps,
  attempt: (deliveries: readonly DueDelivery[]) => Promise<DeliveryOutcome[]>,
): Promise<DeliveryOutcome[]> {
  const currentStatus = ({ deliveryId }: DueDelivery) =>
    store.replays.statusOf(deliveryId).catch((error) => {
      log({ level: 'error', message: 'could not read the status of a delivery, so it is attempted', deliveryId, error })
      return undefined
    })
  const stopped: DeliveryOutcome[] = []
  const toAttempt: DueDelivery[] = []
  for (const delivery of deliveries) {
    const status = delivery.priority === 'replay' ? await currentStatus(delivery) : undefined
    if (status && status.status !== 'pending') stopped.push({ deliveryId: delivery.deliveryId, ...status })
    else toAttempt.push(delivery)
  }
  return [...stopped, ...(toAttempt.length > 0 ? await attempt(toAttempt) : [])]
}
