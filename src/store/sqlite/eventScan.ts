import type { DeliveryFilter } from '#store/deliveryQueries.ts'
import type { SqlReader } from './sqlReader.ts'

const eventsPerRead = 200

/** The events of a tag from the position `from` on that come before `before`. */
type EventRange = { tag: number; from: number; before: readonly [position: number, idx: number] }
/** The key of an event within its tag. */
type EventKey = { position: number; idx: number }

const columns = 'SELECT position, idx FROM event'
const range = 'tag = ? AND position >= ? AND (position, idx) < (?, ?) ORDER BY position DESC, idx DESC LIMIT ?'
const selectAll = `${columns} WHERE ${range}`
const selectNamed = `${columns} INDEXED BY event_name WHERE name = ? AND ${range}`
const selectOfOrder = `${columns} INDEXED BY event_order WHERE order_hash = unhex(?) AND ${range}`
const selectOfUser = `${columns} INDEXED BY event_user WHERE user = ? AND ${range}`

/** The events of some users, and those that are attributed to them. SQLite merges them in order, where `IN` would sort. */
const selectOfPeople = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    (['user', 'joined'] as const).map(
      (column) =>
        `${columns} INDEXED BY event_${column} WHERE ${column} = ?${n + 6} AND tag = ?1 AND position >= ?2 AND (position, idx) < (?3, ?4)`,
    ),
  )
    .flat()
    .join(' UNION ')
    .concat(' ORDER BY position DESC, idx DESC LIMIT ?5')

type ScanFilter = Pick<DeliveryFilter, 'orderHash' | 'people' | 'userId' | 'eventName'>

/** A query of events, newest first, and its values. */
function selectEvents(
  { orderHash, people, userId, eventName }: ScanFilter,
  at: readonly number[],
): [sql: string, values: readonly (string | number)[]] {
  if (orderHash !== undefined) return [selectOfOrder, [orderHash, ...at]]
  if (people) return [selectOfPeople(people.length), [...at, ...people]]
  if (userId !== undefined) return [selectOfUser, [userId, ...at]]
  return eventName === undefined ? [selectAll, at] : [selectNamed, [eventName, ...at]]
}

/** Scans the events of a tag, newest first: those of an order, of people or of one user, else those with one name, else all. */
export function* scanEvents(
  read: SqlReader,
  { tag, from, before }: EventRange,
  filter: ScanFilter,
): Generator<EventKey> {
  let [position, idx] = before
  for (;;) {
    const [sql, values] = selectEvents(filter, [tag, from, position, idx, eventsPerRead])
    const rows = read.all(sql, ...values)
    for (const row of rows) {
      position = Number(row.position)
      idx = Number(row.idx)
      yield { position, idx }
    }
    if (rows.length < eventsPerRead) return
  }
}
