import { openTokens } from '#provider/tokens.ts'
import { compileCaptures } from '#user/capture.ts'
import { expireUsers } from '#user/expire.ts'
import { attempt } from './attempt.ts'
import { openEvents } from './events.ts'
import { feed, makeAlarm } from './feed.ts'
import { openHolds } from './hold.ts'
import { openLanes } from './lanes.ts'
import { planAll } from './planner.ts'
import { countPending, makeReport, type Report } from './report.ts'
import { retentionMs } from './retry.ts'
import { openedSecrets } from './secrets.ts'
import type { DeliveryWorld } from './world.ts'

export type Worker = {
  /** Starts nothing more, waits up to 30 s for what is in flight, and returns: what is left is due again later. */
  stop(): Promise<void>
  /** Attempts in flight. */
  busy(): number
}

const drainMs = 30_000
const trimMs = 3_600_000

/** Plans what comes in and delivers what is due, until it is stopped. */
export function startWorker(on: DeliveryWorld): Worker {
  const stopping = new AbortController()
  const givingUp = new AbortController()
  const giveUp = givingUp.signal
  const report = makeReport(on)
  const alarm = makeAlarm(on)
  const captures = compileCaptures(Object.values(on.providers).flatMap(({ captures = [] }) => captures))
  const events = openEvents({ ...on, captures })
  const trying = { ...on, events, plaintexts: openedSecrets(on), tokens: openTokens(on) }
  const lanes = openLanes({
    ...on,
    giveUp,
    hungry: alarm.wake,
    attempt: async (delivery, channel) => reported(report, delivery, await attempt(delivery, channel, trying)),
  })
  const deciding = { ...on, events, captures, report, giveUp }
  const holds = openHolds({ ...deciding, lanes })
  const takenUp = on.store.journal
    .takeUp(on.clock.now())
    .catch((error) => on.log({ level: 'error', message: 'could not take up what was begun', error }))
  const loops = [
    planAll({ ...deciding, holds, lanes }, stopping.signal),
    holds.watch(stopping.signal),
    takenUp.then(() => feed({ ...on, lanes, alarm }, stopping.signal)),
    countPending(on, stopping.signal),
    trim(on, stopping.signal),
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

function reported<S extends Parameters<Report['attempted']>[1]>(
  report: Report,
  delivery: Parameters<Report['attempted']>[0],
  settled: S,
): S {
  report.attempted(delivery, settled)
  return settled
}

/** Drops what has outlived its retention, once an hour. */
async function trim({ stream, store, clock, log }: DeliveryWorld, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await stream
      .trim(clock.now() - retentionMs)
      .catch((error) => log({ level: 'error', message: 'could not drop what is old', error }))
    await expireUsers({ store, clock }).catch((error) =>
      log({ level: 'error', message: 'could not drop who was not seen', error }),
    )
    await clock.wait(trimMs, signal)
  }
}
