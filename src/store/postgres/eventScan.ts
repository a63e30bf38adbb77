import type { QueryRow, Sql, SqlValue } from '#postgres/database.ts'
import type { DeliveryFilter } from '#store/deliveryQueries.ts'
import { type DeliveryPlace, decodePlace, startPlace } from './deliveryCursor.ts'
import { findPositionSpan } from './positionSpan.ts'

/** The events of a tag from the position `from` on, and their deliveries that are listed after `after`. */
export type ScanRange = { tagId: string; from: number; after: DeliveryPlace }

/** The rows of a tag that a page may have: after its cursor and within the time range of the filter. */
export async function scanRange(
  sql: Sql,
  tagId: string,
  filter: Pick<DeliveryFilter, 'fromMs' | 'toMs'>,
  cursor: string | undefined,
): Promise<ScanRange> {
  const after = cursor === undefined ? startPlace : decodePlace(cursor)
  const { from, to } = await findPositionSpan(sql, tagId, filter)
  return { tagId, from, after: after.position > to ? { position: to + 1, idx: 0, script: '' } : after }
}

const selectRange = (column?: string) => `
  SELECT position, idx, name, user_id, received_at FROM event WHERE tag = $1 AND position >= $2 AND (position, idx) < ($3, $4)
  ${column ? `AND ${column} = $6` : ''} ORDER BY position DESC, idx DESC LIMIT $5`

/** A query of events, newest first: those of one user, else those with one name, else all. */
export function selectEvents(
  { tagId, from, after }: ScanRange,
  { userId, eventName }: Pick<DeliveryFilter, 'userId' | 'eventName'>,
  limit: number,
): [text: string, values: SqlValue[]] {
  // The event of a cursor is read again unless all of its deliveries were listed.
  const values = [tagId, from, after.position, after.script === '' ? after.idx : after.idx + 1, limit]
  if (userId !== undefined) return [selectRange('user_id'), [...values, userId]]
  if (eventName !== undefined) return [selectRange('name'), [...values, eventName]]
  return [selectRange(), values]
}

/** Reads the rows of a scan in groups that grow: most pages end in the first one. */
export async function* readGroups<Row extends QueryRow>(
  range: ScanRange,
  sizes: { first: number; later: number },
  read: (range: ScanRange, limit: number) => Promise<Row[]>,
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
export const scanEvents = (sql: Sql, range: ScanRange, filter: DeliveryFilter): AsyncGenerator<QueryRow[]> =>
  readGroups(
    range,
    sizes,
    (each, limit) => sql(...selectEvents(each, filter, limit)),
    ({ position, idx }) => ({ position: Number(position), idx: Number(idx), script: '' }),
  )
