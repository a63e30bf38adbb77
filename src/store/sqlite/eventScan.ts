import type { SqlParam } from '#kit/writeBatch.ts'
import type { EventFilter, EventRange } from '#store/sql/dialect.ts'

const columns = 'SELECT position, idx FROM event'
const isOfTag = 'tag = (SELECT no FROM ref WHERE id = ?1)'
const range = `${isOfTag} AND position >= ?2 AND (position, idx) < (?3, ?4) ORDER BY position DESC, idx DESC LIMIT ?5`
const by = (index: string, condition: string) => `${columns} INDEXED BY ${index} WHERE ${condition} AND ${range}`

/**
 * The events of some users, and events attributed to them. SQLite merges these selects in order; it would sort for
 * `IN`.
 */
const ofPeople = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    (['user', 'joined'] as const).map(
      (column) =>
        `${columns} INDEXED BY event_${column} WHERE ${column} = ?${n + 6} AND ${isOfTag} AND position >= ?2 AND (position, idx) < (?3, ?4)`,
    ),
  )
    .flat()
    .join(' UNION ')
    .concat(' ORDER BY position DESC, idx DESC LIMIT ?5')

/** The keys of the events of an order, of people or of one user, otherwise of one name, otherwise of all events. */
export function selectEvents(
  { tagId, from, before }: EventRange,
  { orderHash, people, userId, eventName }: EventFilter,
  limit: number,
): [sql: string, ...params: SqlParam[]] {
  const params = [tagId, from, before.position, before.idx, limit]
  if (orderHash !== undefined) return [by('event_order', 'order_hash = unhex(?6)'), ...params, orderHash]
  if (people) return [ofPeople(people.length), ...params, ...people]
  if (userId !== undefined) return [by('event_user', 'user = ?6'), ...params, userId]
  return eventName === undefined
    ? [`${columns} WHERE ${range}`, ...params]
    : [by('event_name', 'name = ?6'), ...params, eventName]
}
