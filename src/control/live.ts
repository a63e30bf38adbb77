import { badRequest, Fault, fault } from '#contract/fault.ts'
import type { operations } from '#contract/operations.ts'
import type { Answer } from '#http/bind.ts'
import type { Message } from '#http/stream.ts'
import { cursorOf, readCursor } from '#store/cursor.ts'
import type { FoundDelivery } from '#store/found.ts'
import type { EventRef, TagRecord } from '#store/store.ts'
import { shownRows } from './deliveries.ts'
import { knownTag } from './tags.ts'
import type { ControlWorld } from './world.ts'

/** How often the journal is looked at: who watches costs so much, and nobody who does not costs anything. */
const lookMs = 500
const heartbeatMs = 15_000
/** Of so many events at a time the deliveries are told; what came besides is left out, and that is said. */
const eventsAtOnce = 200
/** So many deliveries that have not ended are looked at again. */
const mostOpen = 1_000
const perTeam = 10

const watching = new WeakMap<ControlWorld['store'], Map<string, number>>()

/** One of so many at a time of each team; ends with the stream. Throws tooManyWatching. */
function takeSeat({ store }: ControlWorld, teamId: string) {
  const seats = watching.get(store) ?? new Map<string, number>()
  watching.set(store, seats)
  const taken = seats.get(teamId) ?? 0
  if (taken >= perTeam) throw fault('tooManyWatching', { headers: { 'retry-after': '10' } })
  seats.set(teamId, taken + 1)
  return { [Symbol.dispose]: () => void seats.set(teamId, (seats.get(teamId) ?? 1) - 1) }
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
const hasChanged = (before: FoundDelivery, now: FoundDelivery) =>
  before.status !== now.status || before.reason !== now.reason || before.at !== now.at

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

/** What has changed since the last look, and how many events were left out. */
async function look(
  watch: Watch,
  { store: { journal } }: ControlWorld,
): Promise<{ rows: FoundDelivery[]; left: number }> {
  const { tagId } = watch.tag
  const again = await journal.standing(tagId, [...watch.open.keys()])
  const changed = again.filter((row) => hasChanged(watch.open.get(row.deliveryId)!, row))
  const gone = new Set(watch.open.keys()).difference(new Set(again.map(({ deliveryId }) => deliveryId)))
  for (const deliveryId of gone) watch.open.delete(deliveryId)
  const { rows, last, more } = await journal.after(tagId, watch.place, eventsAtOnce)
  const told = [...changed, ...rows]
  for (const row of told) note(watch, row)
  watch.place = more > 0 ? await journal.newest(tagId) : (last ?? watch.place)
  return { rows: told.filter(watch.fits), left: more }
}

async function* watched(watch: Watch, again: () => Promise<unknown>, on: ControlWorld): AsyncGenerator<Message> {
  let beatAt = on.clock.now()
  yield { comment: 'watching' }
  for (;;) {
    const { rows, left } = await look(watch, on)
    if (left > 0) yield { event: 'leftOut', id: idOf(watch), data: { events: left } }
    for (const data of await shownRows(on, watch.tag, rows)) yield { event: 'delivery', id: idOf(watch), data }
    const isQuiet = on.clock.now() - beatAt >= heartbeatMs
    if (isQuiet) beatAt = on.clock.now()
    yield isQuiet ? { comment: 'still here' } : {}
    await on.clock.wait(lookMs)
    try {
      await again()
    } catch (problem) {
      if (!(problem instanceof Fault)) throw problem
      return yield { event: 'closed', data: { message: problem.message } }
    }
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

/** The deliveries of a tag from now on, or from where the caller was cut off. */
export const watchDeliveries: Answer<(typeof operations)['watchDeliveries'], ControlWorld> = async (
  { params, query, access, lastEventId, again },
  on,
) => {
  const tag = await knownTag(on, access, params.tagId)
  const { tagId } = tag
  const { journal } = on.store
  const fits = ({ scriptId, status }: FoundDelivery) =>
    (query.scriptId ?? scriptId) === scriptId && (query.status ?? status) === status
  const place = lastEventId === undefined ? await journal.newest(tagId) : placeBehind(tagId, lastEventId)
  const pending = await journal.deliveries(tagId, { statuses: ['pending'] }, { limit: mostOpen })
  const open = new Map(pending.rows.toReversed().map((row) => [row.deliveryId, row]))
  const seat = takeSeat(on, tag.teamId)
  return (async function* () {
    using _ = seat
    try {
      yield* watched({ tag, place, open, fits }, again, on)
    } catch (error) {
      on.log({ level: 'error', message: 'a stream broke off', tagId, error })
      throw error
    }
  })() as never
}
