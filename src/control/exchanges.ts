import type { Exchange } from '#contract/journey.ts'
import { openPack, withoutParts } from '#journal/pack.ts'
import type { BodiesRef } from '#store/found.ts'
import type { EventRef, JournalEvent, TagRecord } from '#store/store.ts'
import type { ControlWorld } from './world.ts'

/** What went out and came back in an attempt whose bodies lie there; nothing once they are gone. */
export type ExchangesAt = (at: BodiesRef | undefined) => { exchanges?: Exchange[] }

/** The requests and answers of an event's attempts. */
export async function exchangesOf(
  on: ControlWorld,
  tag: TagRecord,
  { deliveries }: JournalEvent,
): Promise<ExchangesAt> {
  const places = deliveries.flatMap(({ attempts }) => attempts.flatMap(({ bodies }) => bodies ?? []))
  const packs = new Map<number, Exchange[][]>()
  for (const no of new Set(places.map((each) => each.no))) {
    const pack = await on.store.journal.pack(no)
    if (pack?.tagId === tag.tagId) packs.set(no, await openPack(pack.sealed, tag, on.keys))
  }
  return (at) => {
    const exchanges = at && packs.get(at.no)?.[at.part]
    return exchanges?.length ? { exchanges } : {}
  }
}

/** Takes what is kept of these events' requests and answers out of the packs that they lie in. */
export const eraseExchanges = async (on: ControlWorld, tag: TagRecord, events: readonly EventRef[]): Promise<void> =>
  eraseBodies(on, tag, await on.store.journal.packsOf(events))

/** Takes the bodies that lie there out of their packs. */
export async function eraseBodies(on: ControlWorld, tag: TagRecord, bodies: readonly BodiesRef[]): Promise<void> {
  for (const [no, places] of Map.groupBy(bodies, (each) => each.no)) {
    const pack = await on.store.journal.pack(no)
    const gone = places.map(({ part }) => part)
    if (pack?.tagId === tag.tagId)
      await on.store.journal.repack(no, await withoutParts(pack.sealed, gone, tag, on.keys))
  }
}
