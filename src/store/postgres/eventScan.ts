import { badRequest } from '#contract/fault.ts'
import type { QueryRow, Sql, SqlValue } from '#postgres/database.ts'
import type { DeliveryFilter } from '#store/deliveryQueries.ts'
import { findPositionSpan } from './positionSpan.ts'

/**
 * The sort key of a delivery in a list: deliveries are listed by event, newest first, and within an event by script. An
 * empty script is after all deliveries of its event.
 */
export type DeliveryPlace = { position: number; idx: number; script: string }

const placePattern = /^(\d{1,16})\.(\d{1,10})\.([\w-]{0,100})$/
const maxIndex = 2 ** 31 - 1

/** The place before the first row of a list. */
const startPlace: DeliveryPlace = { position: Number.MAX_SAFE_INTEGER, idx: maxIndex, script: '' }

/** Encodes the end of a page as opaque text. */
export const encodePlace = ({ position, idx, script }: DeliveryPlace): string =>
  Buffer.from(`${position}.${idx}.${script}`).toString('base64url')

/** Throws badRequest unless `encodePlace` made the text. */
export function decodePlace(cursor: string): DeliveryPlace {
  const found = placePattern.exec(Buffer.from(cursor, 'base64url').toString('latin1'))
  const place = found && { position: Number(found[1]), idx: Number(found[2]), script: found[3]! }
  if (!place || place.idx > maxIndex || encodePlace(place) !== cursor)
    throw badRequest({ path: 'cursor', message: 'is not the `next` of a page' })
  return place
}

/** The events of a tag from the position `from` on, and their deliveries that are listed after `after`. */
export type PlaceRange = { tagId: string; from: number; after: DeliveryPlace }

/** The rows of a tag that a page may have: after its cursor and within the time range of the filter. */
export async function scanRange(
  sql: Sql,
  tagId: string,
  filter: Pick<DeliveryFilter, 'fromMs' | 'toMs'>,
  cursor: string | undefined,
): Promise<PlaceRange> {
  const after = cursor === undefined ? startPlace : decodePlace(cursor)
  const { from, to } = await findPositionSpan(sql, tagId, filter)
  return { tagId, from, after: after.position > to ? { position: to + 1, idx: 0, script: '' } : after }
}

const selectRange = (condition = '') => `
  SELECT position, idx, name, user_id, received_at FROM event WHERE tag = $1 AND position >= $2 AND (position, idx) < ($3, $4)
  ${condition} ORDER BY position DESC, idx DESC LIMIT $5`

/** A query of events, newest first: those of an order, of people or of one user, else those with one name, else all. */
export function selectEvents(
  { tagId, from, after }: PlaceRange,
  { orderHash, people, userId, eventName }: Pick<DeliveryFilter, 'orderHash' | 'people' | 'userId' | 'eventName'>,
  limit: number,
): [text: string, values: SqlValue[]] {
  // The event of a cursor is read again unless all of its deliveries were listed.
  const values = [tagId, from, after.position, after.script === '' ? after.idx : after.idx + 1, limit]
  if (orderHash !== undefined) return [selectRange('AND order_hash = $6'), [...values, orderHash]]
  if (people) return [selectRange('AND (user_id = ANY($6) OR joined = ANY($6))'), [...values, [...people]]]
  if (userId !== undefined) return [selectRange('AND user_id = $6'), [...values, userId]]
  if (eventName !== undefined) return [selectRange('AND name = $6'), [...values, eventName]]
  return [selectRange(), values]
}

/** Reads the rows of a scan in groups that grow: most pages end in the first one. */
export async function* readGroups<Row extends QueryRow>(
  range: PlaceRange,
  sizes: { first: number; later: number },
  read: (range: PlaceRange, limit: number) => Promise<Row[]>,
  lastPlace: (row: Row) => DeliveryPlace,
): AsyncGenerator<Row[]> {
  let { after } = range
  for (let limit = sizes.first; ; limit = sizes.later) {
    const rows = await read({ ...range, after }, limit)
    if (rows.length > 0) yield rows
    if (rows.length < limit) return
    after = lastPlace(rows.at(-1)!)
  }
}

const sizes = { first: 200, later: 1_000 }

/** The events of a tag, newest first, in groups. */
export const scanEvents = (sql: Sql, range: PlaceRange, filter: DeliveryFilter): AsyncGenerator<QueryRow[]> =>
  readGroups(
    range,
    sizes,
    (each, limit) => sql(...selectEvents(each, filter, limit)),
    ({ position, idx }) => ({ position: Number(position), idx: Number(idx), script: '' }),
  )
