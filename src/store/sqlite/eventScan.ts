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
const selectOfUser = `${columns} INDEXED BY event_user WHERE user = ? AND ${range}`

/** Scans the events of a tag, newest first: those of one user, else those with one name, else all. */
export function* scanEvents(
  read: SqlReader,
  { tag, from, before }: EventRange,
  { userId, eventName }: Pick<DeliveryFilter, 'userId' | 'eventName'>,
): Generator<EventKey> {
  const sql = userId !== undefined ? selectOfUser : eventName !== undefined ? selectNamed : selectAll
  const key = userId ?? eventName
  let [position, idx] = before
  for (;;) {
    const at = [tag, from, position, idx, eventsPerRead]
    const rows = key === undefined ? read.all(sql, ...at) : read.all(sql, key, ...at)
    for (const row of rows) {
      position = Number(row.position)
      idx = Number(row.idx)
      yield { position, idx }
    }
    if (rows.length < eventsPerRead) return
  }
}
