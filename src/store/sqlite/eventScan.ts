import type { SqlParam } from '#kit/writeBatch.ts'
import type { EventFilter, EventRange } from '#store/sql/dialect.ts'
import { eventsBy } from './eventBuckets.ts'

const isOfTag = 'tag = (SELECT no FROM ref WHERE id = ?1)'
const range = `${isOfTag} AND position >= ?2 AND (position, idx) < (?3, ?4) ORDER BY position DESC, idx DESC LIMIT ?5`
const select = (from: string, ...conditions: string[]) =>
  `SELECT position, idx FROM ${from} WHERE ${[...conditions, range].join(' AND ')}`

/** The events of these users, and other events with their e-mail addresses. */
const ofPeople = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    (['user', 'joined'] as const).map(
      (column) => `SELECT * FROM (${select(eventsBy(column), `${column} = ?${n + 6}`)})`,
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
  if (orderHash !== undefined) return [select(eventsBy('order'), 'order_hash = unhex(?6)'), ...params, orderHash]
  if (people) return [ofPeople(people.length), ...params, ...people]
  if (userId !== undefined) return [select(eventsBy('user'), 'user = ?6'), ...params, userId]
  return eventName === undefined
    ? [select('event'), ...params]
    : [select('event INDEXED BY event_name', 'name = ?6'), ...params, eventName]
}
