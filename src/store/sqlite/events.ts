import { cursorOf } from '#store/cursor.ts'
import type { FoundEvent } from '#store/queries.ts'
import type { Page, PageOf } from '#store/store.ts'
import { type Read, type Row, readPage } from './read.ts'
import { refOf } from './refs.ts'
import { present } from './rows.ts'

export const eventsOfTag = `SELECT * FROM event WHERE tag = ${refOf}`
const byUser = `SELECT * FROM event INDEXED BY event_user WHERE tag = ${refOf} AND user = ?`
const byJoined = `SELECT * FROM event INDEXED BY event_joined WHERE tag = ${refOf} AND joined = ?`
const columns = ['position', 'idx'] as const

export const eventRow = (tagId: string) => (row: Row) =>
  present<FoundEvent>({
    position: row.position,
    index: row.idx,
    tagId,
    eventName: row.name,
    userId: row.user,
    receivedAt: row.received_at,
    consent: JSON.parse(String(row.consent)),
    place: JSON.parse(String(row.place)),
    joined: row.joined,
  })

/** The events of a tag, newest first. */
export const listEvents = (read: Read, tagId: string, page: PageOf): Page<FoundEvent> =>
  readPage(read, { sql: eventsOfTag, params: [tagId], columns }, page, eventRow(tagId))

/** The events that came under the id of a user, and those that were joined to it. Neither list is read further than a page. */
export function eventsOfUser(read: Read, tagId: string, userId: string, page: PageOf): Page<FoundEvent> {
  const pages = [byUser, byJoined].map((sql) =>
    readPage(read, { sql, params: [tagId, userId], columns }, page, eventRow(tagId)),
  )
  const events = new Map(pages.flatMap(({ rows }) => rows.map((row) => [`${row.position} ${row.index}`, row])))
  const rows = [...events.values()].sort((one, other) => other.position - one.position || other.index - one.index)
  const shown = rows.slice(0, page.limit)
  const last = shown.at(-1)
  const isMore = rows.length > shown.length || pages.some(({ next }) => next !== undefined)
  return { rows: shown, ...(last && isMore && { next: cursorOf(last.position, last.index) }) }
}
