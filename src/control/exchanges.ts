import type { Exchange } from '#contract/journey.ts'
import { openPack, removeParts } from '#journal/exchangePack.ts'
import type { ExchangePackRef } from '#store/deliveryQueries.ts'
import type { AttemptRecord, EventRef, JournalEvent, TagRecord } from '#store/store.ts'
import type { ControlDeps } from './controlDeps.ts'

/** The recorded requests and responses of an attempt, or why there are none. Neither if nothing was sent. */
export type ExchangesAt = (attempt: Pick<AttemptRecord, 'bodies' | 'httpStatus'>) => {
  exchanges?: Exchange[]
  noExchanges?: 'notStored' | 'deleted'
}

/** Loads the recorded requests and responses of an event's attempts. */
export async function loadExchanges(
  deps: ControlDeps,
  tag: TagRecord,
  { deliveries }: JournalEvent,
): Promise<ExchangesAt> {
  const places = deliveries.flatMap(({ attempts }) => attempts.flatMap(({ bodies }) => bodies ?? []))
  const packs = new Map<number, Exchange[][]>()
  for (const no of new Set(places.map((each) => each.no))) {
    const pack = await deps.store.journal.exchangePack(no)
    if (pack?.tagId === tag.tagId) packs.set(no, await openPack(pack.sealed, tag, deps.keys))
  }
  return ({ bodies, httpStatus }) => {
    const exchanges = bodies && packs.get(bodies.no)?.[bodies.part]
    if (exchanges?.length) return { exchanges }
    if (bodies) return { noExchanges: 'deleted' }
    return httpStatus === undefined ? {} : { noExchanges: 'notStored' }
  }
}

/** Removes the recorded requests and responses of these events from their packs. */
export const eraseExchanges = async (deps: ControlDeps, tag: TagRecord, events: readonly EventRef[]): Promise<void> =>
  eraseExchangeParts(deps, tag, await deps.store.journal.exchangePackRefs(events))

/** Removes these parts from their packs. */
export async function eraseExchangeParts(
  deps: ControlDeps,
  tag: TagRecord,
  bodies: readonly ExchangePackRef[],
): Promise<void> {
  for (const [no, places] of Map.groupBy(bodies, (each) => each.no)) {
    const pack = await deps.store.journal.exchangePack(no)
    const gone = places.map(({ part }) => part)
    if (pack?.tagId === tag.tagId)
      await deps.store.journal.replaceExchangePack(no, await removeParts(pack.sealed, gone, tag, deps.keys))
  }
}
