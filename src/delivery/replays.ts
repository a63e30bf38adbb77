import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import type { Snapshots } from '#script/snapshot.ts'
import type { Candidate, ReplayRecord } from '#store/replays.ts'
import type { DueDelivery, Settled, Store } from '#store/store.ts'
import type { Lanes } from './lanes.ts'
import { type JudgeWorld, judge, tallied } from './replay.ts'

export type ReplaysWorld = JudgeWorld & {
  clock: Clock
  log: Log
  store: Pick<Store, 'replays'>
  snapshots: Pick<Snapshots, 'get'>
  lanes: Pick<Lanes, 'stored'>
}

/** How often it is looked for new ones, and how much is looked at in one go. */
const lookMs = 1_000
const atOnce = 200
/** Deliveries of one replay that wait at once: what is not handed on yet is easy to stop. */
const most = 5_000

/** Goes through the replays that were asked for, one of each tag at a time, until the signal. What a crash left is gone on with. */
export async function runReplays(on: ReplaysWorld, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const isBusy = await goOn(on).catch((error) => {
      on.log({ level: 'error', message: 'could not go on with replays', error })
      return false
    })
    if (!isBusy) await on.clock.wait(lookMs, signal)
  }
}

/** One slice of each replay whose turn it is; whether any of them has more to do at once. */
async function goOn(on: ReplaysWorld): Promise<boolean> {
  let isBusy = false
  const begun = new Set<string>()
  for (const replay of await on.store.replays.open()) {
    if (replay.state === 'stopping') await takeBack(replay, on)
    else if (replay.state === 'sending') await endWhenSent(replay, on)
    else if (!begun.has(replay.tagId)) {
      begun.add(replay.tagId)
      isBusy = (await slice(replay, on)) || isBusy
    }
  }
  return isBusy
}

/** Hands some deliveries to their channels; true where there are more that may go at once. */
async function slice(replay: ReplayRecord, on: ReplaysWorld): Promise<boolean> {
  const { replayId, tagId, filter, reached, tally } = replay
  const now = on.clock.now()
  const tag = on.snapshots.get(tagId)
  if (!tag) {
    await on.store.replays.step(replayId, { state: 'stopped', tally, endedAt: now })
    return false
  }
  const waiting = await on.store.replays.pending(replayId, most)
  if (sum(waiting) >= most) return false
  const found = await on.store.replays.candidates(tagId, filter, reached, atOnce)
  const judged = await judge(found.rows, tag, on)
  const again = judged.filter(({ against }) => !against).map(({ candidate }) => candidate)
  const state = found.reached === undefined ? 'sending' : 'running'
  await on.store.replays.step(replayId, {
    state,
    tally: tallied(tally, judged),
    startedAt: now,
    ...(found.reached !== undefined && { reached: found.reached }),
    again,
    nextAt: now,
  })
  for (const scriptId of scriptsOf(again)) on.lanes.stored(scriptId, 'replay')
  return state === 'running' || again.length === 0
}

const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((one, other) => one + other, 0)
const scriptsOf = (candidates: readonly Candidate[]) => new Set(candidates.map(({ scriptId }) => scriptId))

async function endWhenSent({ replayId, tally }: ReplayRecord, on: ReplaysWorld): Promise<void> {
  const waiting = await on.store.replays.pending(replayId, 1)
  if (sum(waiting) === 0) await on.store.replays.step(replayId, { state: 'done', tally, endedAt: on.clock.now() })
}

/** Lets what has not been sent stand as it stood before. What is under way ends first: then it is looked at again. */
async function takeBack({ replayId, tally }: ReplayRecord, on: ReplaysWorld): Promise<void> {
  const { replays } = on.store
  await replays.takeBack(replayId)
  if (sum(await replays.pending(replayId, 1)) > 0) return
  await replays.step(replayId, { state: 'stopped', tally, endedAt: on.clock.now() })
}

/**
 * Attempts what is to be attempted: a channel may hold deliveries whose replay was stopped meanwhile, and those stay as
 * the journal has them.
 */
export async function unlessStopped(
  deliveries: readonly DueDelivery[],
  { store, log }: { store: { replays: Pick<Store['replays'], 'stands'> }; log: Log },
  attempt: (deliveries: readonly DueDelivery[]) => Promise<Settled[]>,
): Promise<Settled[]> {
  if (!deliveries.some(({ lane }) => lane === 'replay')) return attempt(deliveries)
  const standing = ({ deliveryId }: DueDelivery) =>
    store.replays.stands(deliveryId).catch((error) => {
      log({ level: 'error', message: 'could not read how a delivery stands: it is attempted', deliveryId, error })
      return undefined
    })
  const stopped: Settled[] = []
  const left: DueDelivery[] = []
  for (const delivery of deliveries) {
    const stands = delivery.lane === 'replay' ? await standing(delivery) : undefined
    if (stands && stands.status !== 'pending') stopped.push({ deliveryId: delivery.deliveryId, ...stands })
    else left.push(delivery)
  }
  return [...stopped, ...(left.length > 0 ? await attempt(left) : [])]
}
