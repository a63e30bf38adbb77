import type { Clock } from '#kit/clock.ts'
import type { Journal, JournalEvent } from '#store/store.ts'
import type { EventPlace, Stream } from '#stream/stream.ts'

/** Waits until events are delivered. */
export type CompletionWatcher = ReturnType<typeof watchCompletions>

export function watchCompletions(deps: {
  clock: Clock
  stream: Pick<Stream, 'find'>
  store: { journal: Pick<Journal, 'event'> }
  /**
   * How often the journal is read (ms). Needed because a delivery that ends in another process sends no notification
   * here.
   */
  pollMs?: number
}) {
  const { pollMs = 1_000 } = deps
  const listenersByEvent = new Map<string, Set<AbortController>>()
  const keyOf = ({ position, index }: EventPlace) => `${position}/${index}`

  /** Aborts its signal when a delivery of the event ends. Unsubscribes when disposed. */
  function subscribe(place: EventPlace) {
    const key = keyOf(place)
    const listener = new AbortController()
    const listeners = listenersByEvent.get(key) ?? new Set()
    listenersByEvent.set(key, listeners.add(listener))
    const unsubscribe = () => {
      listeners.delete(listener)
      if (listeners.size === 0) listenersByEvent.delete(key)
    }
    return { rung: listener.signal, [Symbol.dispose]: unsubscribe }
  }

  /** Returns the deliveries if they are complete or the time is over; undefined after waiting for the next change. */
  async function check(
    tagId: string,
    place: EventPlace,
    remainingMs: number,
  ): Promise<JournalEvent['deliveries'] | undefined> {
    using listener = subscribe(place) // before the journal is read, so that no notification is missed
    const event = await deps.store.journal.event(tagId, place.position, place.index)
    const isComplete = event?.deliveries.every(({ status }) => status !== 'pending') ?? false
    if (isComplete || remainingMs <= 0) return event?.deliveries ?? []
    await deps.clock.wait(Math.min(remainingMs, pollMs), listener.rung)
    return undefined
  }

  return {
    /** Call this when the journal has a newly planned event or a changed delivery of an event. */
    notify(place: EventPlace): void {
      if (listenersByEvent.size === 0) return
      for (const listener of listenersByEvent.get(keyOf(place)) ?? []) listener.abort()
    },
    /**
     * Returns the deliveries of an event as soon as none is pending, or after `withinMs` (ms). Empty if the event is not
     * planned by then. Held deliveries wait for a consent and do not delay the result.
     */
    async deliveriesOf(tagId: string, key: bigint, withinMs: number): Promise<JournalEvent['deliveries']> {
      const deadline = deps.clock.now() + withinMs
      const place = await deps.stream.find(key)
      if (!place) return []
      for (;;) {
        const deliveries = await check(tagId, place, deadline - deps.clock.now())
        if (deliveries) return deliveries
      }
    },
  }
}
