import { settlePacked } from '#journal/packing.ts'
import { openTokenCache } from '#provider/engine/tokenCache.ts'
import type { DueDelivery, Settled } from '#store/store.ts'
import { attempt } from './attempt.ts'
import { openCaptures } from './captures.ts'
import { openEvents } from './events.ts'
import { expireWaiting } from './expire.ts'
import { feed, makeAlarm } from './feed.ts'
import { meterLanes } from './gauges.ts'
import { openHolds } from './hold.ts'
import { openLanes } from './lanes.ts'
import { planAll } from './planner.ts'
import { runReplays, unlessStopped } from './replays.ts'
import { countPending, makeReport, type Report } from './report.ts'
import { keepSmall } from './retention.ts'
import { openedSecrets } from './secrets.ts'
import type { DeliveryWorld } from './world.ts'

export type Worker = {
  /** Starts nothing more, waits up to 30 s for what is in flight, and returns: what is left is due again later. */
  stop(): Promise<void>
  /** Attempts in flight. */
  busy(): number
}

const drainMs = 30_000

/** Plans what comes in and delivers what is due, until it is stopped. */
export function startWorker(on: DeliveryWorld): Worker {
  const stopping = new AbortController()
  const givingUp = new AbortController()
  const giveUp = givingUp.signal
  const report = makeReport(on)
  const alarm = makeAlarm(on)
  const plaintexts = openedSecrets(on)
  const captures = openCaptures(on.providers, plaintexts).ofTag
  const events = openEvents({ ...on, captures })
  const trying = { ...on, events, plaintexts, tokens: openTokenCache(on) }
  const store = { ...on.store, journal: { ...on.store.journal, settle: settlePacked(on) } }
  const lanes = openLanes({
    ...on,
    store,
    giveUp,
    hungry: alarm.wake,
    mostOf: (providerId) => on.providers[providerId]?.batch?.maxEvents ?? 1,
    attempt: (deliveries, channel) =>
      unlessStopped(deliveries, on, async (left) => reported(left, await attempt(left, channel, trying), report, on)),
  })
  const deciding = { ...on, events, captures, report, giveUp }
  const holds = openHolds({ ...deciding, lanes })
  const takenUp = on.store.journal
    .takeUp(on.clock.now())
    .then(lanes.restore)
    .catch((error) => on.log({ level: 'error', message: 'could not take up what was begun', error }))
  const loops = [
    planAll({ ...deciding, holds, lanes }, stopping.signal),
    holds.watch(stopping.signal),
    runReplays({ ...deciding, lanes }, stopping.signal),
    takenUp.then(() => feed({ ...on, lanes, alarm }, stopping.signal)),
    countPending(on, stopping.signal),
    meterLanes({ ...on, lanes }, stopping.signal),
    expireWaiting({ ...on, lanes }, stopping.signal),
    keepSmall(on, stopping.signal),
  ]
  return {
    busy: lanes.busy,
    async stop() {
      stopping.abort()
      const drained = Promise.all([...loops, lanes.drain()])
      await Promise.race([drained, on.clock.wait(drainMs, giveUp)])
      givingUp.abort()
    },
  }
}

const ended = ({ attempt }: Settled, now: number) => (attempt ? attempt.at + attempt.durationMs : now)

/** What becomes of deliveries is counted and logged, and the owner of the channel told of those that were given up. */
function reported(
  deliveries: readonly DueDelivery[],
  settled: readonly Settled[],
  report: Report,
  { told, clock }: Pick<DeliveryWorld, 'told' | 'clock'>,
): Settled[] {
  return deliveries.map((delivery, place) => {
    const each = settled[place]!
    const { tagId, scriptId } = delivery
    const { status, reason } = each
    report.attempted(delivery, each)
    if (status === 'dead' && reason && reason !== 'erased')
      told({ kind: 'dead', tagId, scriptId, reason, at: clock.now() })
    return { ...each, tagId, at: each.at ?? ended(each, clock.now()) }
  })
}
