import type { SlotOwnership } from '#cluster/cluster.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'
import type { Dispatcher } from './dispatcher.ts'

/** The longest time between two polls of the store. */
const pollMs = 1_000
/**
 * Polls everything again after this time: another worker's slow commit can make deliveries of these slots visible
 * late. In a journal with a log, which has one worker, only a damaged record hides one.
 */
const wholePollMs = 60_000
const wholePollOfLogMs = 3_600_000

/** A sleep that `wake` ends early, also if it is called before the sleep begins. */
export type WakeableTimer = { wake(): void; sleep(ms: number, signal: AbortSignal): Promise<void> }

export function createTimer({ clock }: Pick<DeliveryDeps, 'clock'>): WakeableTimer {
  let controller = new AbortController()
  return {
    wake: () => controller.abort(),
    async sleep(ms, signal) {
      const stop = () => controller.abort()
      signal.addEventListener('abort', stop, { once: true })
      if (!signal.aborted) await clock.wait(ms, controller.signal)
      signal.removeEventListener('abort', stop)
      controller = new AbortController()
    },
  }
}

/**
 * Polls the store for due deliveries and hands them to the dispatcher: due retries, and deliveries that did not fit
 * into a full queue.
 */
export async function pollDue(
  deps: Pick<DeliveryDeps, 'clock' | 'log'> & {
    store: { journal: Pick<DeliveryDeps['store']['journal'], 'nextDue' | 'isLogged'> }
    dispatcher: Pick<Dispatcher, 'markStored' | 'refill'>
    ownership: Pick<SlotOwnership, 'slots'>
    timer: WakeableTimer
  },
  signal: AbortSignal,
): Promise<void> {
  /** The dispatcher knows all deliveries that were due by this time (epoch ms). */
  let polledUpToMs = -1
  let nextPollAt = 0
  let wholePollAt = 0
  let polledSlots = deps.ownership.slots()

  /** Marks newly due deliveries and returns the time of the next poll (epoch ms). */
  async function poll(now: number): Promise<number> {
    if (now >= wholePollAt) polledUpToMs = -1
    let next = now + pollMs
    for (const { scriptId, priority, nextAt } of await deps.store.journal.nextDue(polledUpToMs))
      if (nextAt <= now) deps.dispatcher.markStored(scriptId, priority)
      else next = Math.min(next, nextAt)
    if (polledUpToMs === -1) wholePollAt = now + (deps.store.journal.isLogged ? wholePollOfLogMs : wholePollMs)
    polledUpToMs = now
    return next
  }
  while (!signal.aborted) {
    const now = deps.clock.now()
    const slots = deps.ownership.slots()
    if (slots !== polledSlots) polledUpToMs = nextPollAt = -1 // gained slots are read from the beginning
    polledSlots = slots
    if (now < polledUpToMs) polledUpToMs = nextPollAt = wholePollAt = now // the clock was set back
    if (now >= nextPollAt)
      nextPollAt = await poll(now).catch((error) => {
        deps.log({ level: 'error', message: 'could not read the due deliveries', error })
        return now + pollMs
      })
    await deps.dispatcher.refill()
    await deps.timer.sleep(nextPollAt - deps.clock.now(), signal)
  }
}
