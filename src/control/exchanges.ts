import type { Exchange } from '#contract/journey.ts'
import { openPack, removeParts } from '#journal/exchangePack.ts'
import { yieldToEventLoop } from '#kit/yieldToEventLoop.ts'
import type { ExchangePackRef } from '#store/deliveryQueries.ts'
import type { AttemptRecord, EventRef, JournalEvent, TagRecord } from '#store/store.ts'
import type { ControlDeps } from './controlDeps.ts'
import { runFairly } from './searchSlots.ts'

/** The recorded requests and responses of an attempt, or why there are none. Empty if nothing was sent. */
export type ExchangesAt = (attempt: Pick<AttemptRecord, 'bodies' | 'httpStatus'>) => {
  exchanges?: Exchange[]
  noExchanges?: 'notStored' | 'deleted'
}

/** Maximum characters of all bodies of a journey, and minimum of each body. */
const maxBodies = 2 * 1024 * 1024
const minBody = 1_024
/** Journeys with at most this many attempts show bodies in full: each has a request and a response of at most 64 KiB. */
const maxWholeAttempts = 16

/** An exchange with truncated bodies. Truncated text is copied, so that the full text can be freed. */
function cutBodies({ request, response }: Exchange, length: number): Exchange {
  const cut = <Part extends { body?: string }>(part: Part): Part =>
    part.body !== undefined && part.body.length > length
      ? { ...part, body: Buffer.from(part.body.slice(0, length)).toString() }
      : part
  return { request: cut(request), ...(response && { response: cut(response) }) }
}

const keyOf = ({ no, part }: ExchangePackRef) => `${no} ${part}`

/** Decrypts the packs one by one, and keeps only what is shown of each. */
async function openExchanges(
  deps: ControlDeps,
  tag: TagRecord,
  places: readonly ExchangePackRef[],
): Promise<Map<string, Exchange[]>> {
  const length = Math.max(minBody, Math.floor(maxBodies / (2 * Math.max(places.length, maxWholeAttempts))))
  const opened = new Map<string, Exchange[]>()
  for (const [no, parts] of Map.groupBy(places, (each) => each.no)) {
    const pack = await deps.store.journal.exchangePack(no)
    if (pack?.tagId !== tag.tagId) continue
    const exchanges = await openPack(pack.sealed, tag, deps.keys)
    for (const place of parts)
      opened.set(
        keyOf(place),
        (exchanges[place.part] ?? []).map((each) => cutBodies(each, length)),
      )
    await yieldToEventLoop()
  }
  return opened
}

/**
 * Loads the recorded requests and responses of an event's attempts. Events with many attempts are decrypted in the
 * team's turns, so that concurrent reads do not add up.
 */
export async function loadExchanges(
  deps: ControlDeps,
  tag: TagRecord,
  { deliveries }: JournalEvent,
): Promise<ExchangesAt> {
  const places = deliveries.flatMap(({ attempts }) => attempts.flatMap(({ bodies }) => bodies ?? []))
  const open = () => openExchanges(deps, tag, places)
  const opened = await (places.length > maxWholeAttempts ? runFairly(deps, tag.teamId, open) : open())
  return ({ bodies, httpStatus }) => {
    const exchanges = bodies && opened.get(keyOf(bodies))
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
