import type { FoundDelivery } from '#store/found.ts'
import type { WatchAsked, Watched } from '#store/queries.ts'
import { deliveriesAt, standingOf } from './deliveries.ts'
import { eventRef, newestOf } from './found.ts'
import type { Read } from './read.ts'
import { refOf } from './refs.ts'

const after = `SELECT position, idx FROM event WHERE tag = ${refOf} AND (position, idx) > (?, ?) ORDER BY position, idx LIMIT ?`

/** More than this are not counted. */
const mostBehind = 10_000
/** No further event is read once there are so many deliveries. */
const mostRows = 1_000

type Known = WatchAsked['open'][number]
const stoodOtherwise = (before: Known, now: Known) =>
  before.status !== now.status || before.reason !== now.reason || before.at !== now.at

/** What changed of a tag since a place. */
export function watchedOf(read: Read, tagId: string, { open, place, events }: WatchAsked): Watched {
  const before = new Map(open.map((each) => [each.deliveryId, each]))
  const standing = standingOf(read, tagId, [...before.keys()])
  const changed = standing.filter((row) => stoodOtherwise(before.get(row.deliveryId)!, row))
  for (const { deliveryId } of standing) before.delete(deliveryId)
  const [position, idx] = place ? [place.position, place.index] : [-1, -1]
  const places = read.all(after, tagId, position, idx, events + mostBehind).map(eventRef(tagId))
  const rows: FoundDelivery[] = []
  let shown = 0
  while (shown < Math.min(events, places.length) && rows.length < mostRows) {
    const each = places[shown++]!
    rows.push(...deliveriesAt(read, tagId, each.position, each.index))
  }
  const [last, more] = [places[shown - 1], places.length - shown]
  const newest = more > 0 ? newestOf(read, tagId) : undefined
  return { changed, gone: [...before.keys()], rows, more, ...(last && { last }), ...(newest && { newest }) }
}
