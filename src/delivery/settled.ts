import type { Clock } from '#kit/clock.ts'
import type { Journal, JournalEvent } from '#store/store.ts'
import type { EventPlace, Stream } from '#stream/stream.ts'

/** Waits for events to be delivered. */
export type SettledWatch = {
  /** An event was planned, or a delivery of it has come to an end, and the journal says so. */
  ended(place: EventPlace): void
  /**
   * How the deliveries of an event stand, as soon as none of them is pending any more, or after `withinMs`: none yet, if
   * the event has not been planned until then. What is held waits for a consent, and is not waited for.
   */
  deliveriesOf(tagId: string, key: bigint, withinMs: number): Promise<JournalEvent['deliveries']>
}

/** For what ends in another process nobody is woken: it is looked for once a second. */
const lookMs = 1_000

export function watchSettled(on: {
  clock: Clock
  stream: Pick<Stream, 'find'>
  store: { journal: Pick<Journal, 'event'> }
}): SettledWatch {
  const waiting = new Map<string, Set<AbortController>>()
  const nameOf = ({ position, index }: EventPlace) => `${position}/${index}`

  /** A bell that rings when something of the event ends, until it is put away. */
  function hang(place: EventPlace) {
    const name = nameOf(place)
    const bell = new AbortController()
    const bells = waiting.get(name) ?? new Set()
    waiting.set(name, bells.add(bell))
    const putAway = () => {
      bells.delete(bell)
      if (bells.size === 0) waiting.delete(name)
    }
    return { rung: bell.signal, [Symbol.dispose]: putAway }
  }

  /** Once more how it stands: at once if that is the end of it, else when something has ended. */
  async function look(
    tagId: string,
    place: EventPlace,
    leftMs: number,
  ): Promise<JournalEvent['deliveries'] | undefined> {
    using bell = hang(place) // before the journal is read, or an end in between would not be heard
    const event = await on.store.journal.event(tagId, place.position, place.index)
    const isSettled = event?.deliveries.every(({ status }) => status !== 'pending') ?? false
    if (isSettled || leftMs <= 0) return event?.deliveries ?? []
    await on.clock.wait(Math.min(leftMs, lookMs), bell.rung)
    return undefined
  }

  return {
    ended(place) {
      if (waiting.size === 0) return
      for (const bell of waiting.get(nameOf(place)) ?? []) bell.abort()
    },
    async deliveriesOf(tagId, key, withinMs) {
      const until = on.clock.now() + withinMs
      const place = await on.stream.find(key)
      if (!place) return []
      for (;;) {
        const deliveries = await look(tagId, place, until - on.clock.now())
        if (deliveries) return deliveries
      }
    },
  }
}
