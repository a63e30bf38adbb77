import type { SlotOwnership } from '#cluster/cluster.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'
import type { Dispatcher } from './dispatcher.ts'

/** The longest time between two polls of the store for due deliveries. */
const pollMs = 1_000
/** Deliveries that another worker made due in these slots become visible late if its commit is slow. */
const wholePollMs = 60_000

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
 * Polls the store for due deliveries and hands them to the dispatcher: due retries, and deliveries that found a full
 * queue.
 */
export async function pollDue(
  deps: Pick<DeliveryDeps, 'clock' | 'log'> & {
    store: { journal: Pick<DeliveryDeps['store']['journal'], 'nextDue'> }
    dispatcher: Dispatcher
    ownership: Pick<SlotOwnership, 'slots'>
    timer: WakeableTimer
  },
  signal: AbortSignal,
): Promise<void> {
  /** The dispatcher knows of all deliveries that were due by then (epoch ms). */
  let polledUpToMs = -1
  let nextPollAt = 0
  let wholePollAt = 0
  let polledSlots = deps.ownership.slots()

  /** Notes the newly due deliveries and returns when to poll again (epoch ms). */
  async function poll(now: number): Promise<number> {
    if (now >= wholePollAt) polledUpToMs = -1
    let next = now + pollMs
    for (const { scriptId, priority, nextAt } of await deps.store.journal.nextDue(polledUpToMs))
      if (nextAt <= now) deps.dispatcher.markStored(scriptId, priority)
      else next = Math.min(next, nextAt)
    if (polledUpToMs === -1) wholePollAt = now + wholePollMs
    polledUpToMs = now
    return next
  }
  while (!signal.aborted) {
    const now = deps.clock.now()
    const slots = deps.ownership.slots()
    if (slots !== polledSlots) polledUpToMs = nextPollAt = -1 // those that were gained are read from the beginning
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
