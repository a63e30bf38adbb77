import type { Lanes } from './lanes.ts'
import type { DeliveryWorld } from './world.ts'

/** How long at most until the store is asked again what has become due. */
const askMs = 1_000

/** A sleep that can be cut short, also before it began. */
export type Alarm = { wake(): void; sleep(ms: number, signal: AbortSignal): Promise<void> }

export function makeAlarm({ clock }: Pick<DeliveryWorld, 'clock'>): Alarm {
  let bell = new AbortController()
  return {
    wake: () => bell.abort(),
    async sleep(ms, signal) {
      const stop = () => bell.abort()
      signal.addEventListener('abort', stop, { once: true })
      if (!signal.aborted) await clock.wait(ms, bell.signal)
      signal.removeEventListener('abort', stop)
      bell = new AbortController()
    },
  }
}

/** Brings to the lanes what is due in the store: retries when their time comes, and what found a full lane before. */
export async function feed(
  on: Pick<DeliveryWorld, 'clock' | 'log'> & {
    store: { journal: Pick<DeliveryWorld['store']['journal'], 'nextDue'> }
    lanes: Lanes
    alarm: Alarm
  },
  signal: AbortSignal,
): Promise<void> {
  /** What was due by then is known to the lanes. */
  let seenMs = -1
  let askAt = 0

  /** Tells the lanes what has become due, and says when to ask again. */
  async function ask(now: number): Promise<number> {
    let next = now + askMs
    for (const { scriptId, lane, nextAt } of await on.store.journal.nextDue(seenMs))
      if (nextAt <= now) on.lanes.stored(scriptId, lane)
      else next = Math.min(next, nextAt)
    seenMs = now
    return next
  }
  while (!signal.aborted) {
    const now = on.clock.now()
    if (now < seenMs) seenMs = askAt = now // the clock was set back
    if (now >= askAt)
      askAt = await ask(now).catch((error) => {
        on.log({ level: 'error', message: 'could not ask what is due', error })
        return now + askMs
      })
    await on.lanes.refill()
    await on.alarm.sleep(askAt - on.clock.now(), signal)
  }
}
