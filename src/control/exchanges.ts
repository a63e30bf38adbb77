import type { Exchange } from '#contract/journey.ts'
import { openPack, removeParts } from '#journal/exchangePack.ts'
import type { ExchangePackRef } from '#store/deliveryQueries.ts'
import type { EventRef, JournalEvent, TagRecord } from '#store/store.ts'
import type { ControlDeps } from './controlDeps.ts'

/** The recorded requests and responses of an attempt; absent once they are removed. */
export type ExchangesAt = (at: ExchangePackRef | undefined) => { exchanges?: Exchange[] }

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
  return (at) => {
    const exchanges = at && packs.get(at.no)?.[at.part]
    return exchanges?.length ? { exchanges } : {}
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
