import { badRequest, Fault } from '#contract/fault.ts'
import { limitReached } from '#contract/limitReached.ts'
import type { operations } from '#contract/operations.ts'
import type { Answer } from '#http/bind.ts'
import type { Message } from '#http/stream.ts'
import { QueryRefused } from '#kit/queryPool.ts'
import { queryFault } from '#limit/queryFault.ts'
import { cursorOf, readCursor } from '#store/cursor.ts'
import type { FoundDelivery } from '#store/found.ts'
import type { EventRef, TagRecord } from '#store/store.ts'
import { shownRows } from './deliveries.ts'
import { knownTag } from './tags.ts'
import type { ControlWorld } from './world.ts'

/** How often the journal is looked at: who watches costs so much, and nobody who does not costs anything. */
const lookMs = 500
/** After a look that took longer than usual the next one is put off by so many times as long. */
const restPerLook = 4
const heartbeatMs = 15_000
/** Of so many events at a time the deliveries are told; what came besides is left out, and that is said. */
const eventsAtOnce = 200
/** So many deliveries that have not ended are looked at again. */
const mostOpen = 1_000

/** A stream of the team among those that it may have open; it is given back with the stream. Throws tooManyWatching. */
function takeSeat({ streamSeats, limits }: ControlWorld, teamId: string): Disposable {
  const seat = streamSeats.take(teamId)
  if (!seat) throw limitReached('tooManyWatching', limits.streamsPerTeam, { afterMs: 10_000 })
  return seat
}

type Watch = {
  tag: TagRecord
  /** What came up to there has been told. */
  place: EventRef | undefined
  /** How the deliveries stood, by their ids, that had not ended when they were told. The oldest first. */
  open: Map<string, FoundDelivery>
  fits(row: FoundDelivery): boolean
}

const hasEnded = ({ status }: FoundDelivery) => status !== 'pending' && status !== 'held'

/** Where to go on: before the oldest delivery that had not ended, or its end would be missed. */
function idOf({ open, place }: Watch): string {
  const oldest = open.values().next().value
  if (oldest) return cursorOf(oldest.position, oldest.index)
  return place ? cursorOf(place.position, place.index + 1) : cursorOf(0, 0)
}

function note(watch: Watch, row: FoundDelivery): void {
  if (hasEnded(row)) watch.open.delete(row.deliveryId)
  else if (watch.open.has(row.deliveryId) || watch.open.size < mostOpen) watch.open.set(row.deliveryId, row)
}

/** What has changed since the last look, and how many events were left out. Throws QueryRefused. */
async function look(watch: Watch, { store }: ControlWorld): Promise<{ rows: FoundDelivery[]; left: number }> {
  const { tagId, teamId } = watch.tag
  const { place } = watch
  const open = [...watch.open.values()].map(({ deliveryId, status, reason, at }) => {
    return { deliveryId, status, at, ...(reason && { reason }) }
  })
  const asked = { open, events: eventsAtOnce, ...(place && { place }) }
  const { changed, gone, rows, last, more, newest } = await store.queries(teamId).watch(tagId, asked)
  for (const deliveryId of gone) watch.open.delete(deliveryId)
  const told = [...changed, ...rows]
  for (const row of told) note(watch, row)
  watch.place = newest ?? last ?? watch.place
  return { rows: told.filter(watch.fits), left: more }
}

/** The same; nothing where all that answer queries are busy: what has changed is seen by the next look. Throws queryTooSlow. */
const lookUnlessBusy = (watch: Watch, on: ControlWorld) =>
  look(watch, on).catch((problem) => {
    if (!(problem instanceof QueryRefused)) throw problem
    if (problem.why === 'tooSlow') throw queryFault(problem)
    return { rows: [], left: 0 }
  })

/** What changed, until the caller may not be told any more. Throws a fault then. */
async function* changes(watch: Watch, again: () => Promise<unknown>, on: ControlWorld): AsyncGenerator<Message> {
  let beatAt = on.clock.now()
  yield { comment: 'watching' }
  for (;;) {
    const begunAt = on.clock.now()
    const { rows, left } = await lookUnlessBusy(watch, on)
    if (left > 0) yield { event: 'leftOut', id: idOf(watch), data: { events: left } }
    for (const data of await shownRows(on, watch.tag, rows)) yield { event: 'delivery', id: idOf(watch), data }
    const isQuiet = on.clock.now() - beatAt >= heartbeatMs
    if (isQuiet) beatAt = on.clock.now()
    yield isQuiet ? { comment: 'still here' } : {}
    await on.clock.wait(Math.max(lookMs, restPerLook * (on.clock.now() - begunAt)))
    await again()
  }
}

/** What changed; ends with the reason where it cannot go on. */
async function* watched(watch: Watch, again: () => Promise<unknown>, on: ControlWorld): AsyncGenerator<Message> {
  try {
    yield* changes(watch, again, on)
  } catch (problem) {
    if (!(problem instanceof Fault)) throw problem
    yield { event: 'closed', data: { message: problem.message } }
  }
}

/** Just before the place of a `Last-Event-ID`. */
function placeBehind(tagId: string, lastEventId: string): EventRef {
  try {
    const [position, index] = readCursor(lastEventId, 2)
    return { tagId, position: position!, index: index! - 1 }
  } catch {
    throw badRequest({ path: 'Last-Event-ID', message: 'is not the id of an event of this stream' })
  }
}

/** Where a stream begins: at the newest event, or where the caller was cut off. */
async function begin(on: ControlWorld, tag: TagRecord, lastEventId: string | undefined): Promise<Omit<Watch, 'fits'>> {
  const { tagId, teamId } = tag
  const place = lastEventId === undefined ? await on.store.journal.newest(tagId) : placeBehind(tagId, lastEventId)
  const pending = await on.store.queries(teamId).deliveries(tagId, { statuses: ['pending'] }, { limit: mostOpen })
  return { tag, place, open: new Map(pending.rows.toReversed().map((row) => [row.deliveryId, row])) }
}

/** The deliveries of a tag from now on, or from where the caller was cut off. */
export const watchDeliveries: Answer<(typeof operations)['watchDeliveries'], ControlWorld> = async (
  { params, query, access, lastEventId, again },
  on,
) => {
  const tag = await knownTag(on, access, params.tagId)
  const { tagId } = tag
  const fits = ({ scriptId, status }: FoundDelivery) =>
    (query.scriptId ?? scriptId) === scriptId && (query.status ?? status) === status
  const seat = takeSeat(on, tag.teamId)
  const begun = await begin(on, tag, lastEventId).catch((problem) => {
    seat[Symbol.dispose]()
    throw problem
  })
  return (async function* () {
    using _ = seat
    try {
      yield* watched({ ...begun, fits }, again, on)
    } catch (error) {
      on.log({ level: 'error', message: 'a stream broke off', tagId, error })
      throw error
    }
  })() as never
}
