import { encodeCursor } from '#store/cursor.ts'
import type { EventRecord } from '#store/journalQueries.ts'
import { readEventRow } from '#store/sql/eventRows.ts'
import type { PageRequest, ResultPage } from '#store/store.ts'
import { selectRef } from './refs.ts'
import { readPage, type SqlReader, type SqlRow } from './sqlReader.ts'

export const selectEventsOfTag = `SELECT * FROM event WHERE tag = ${selectRef}`
const selectByUser = `SELECT * FROM event INDEXED BY event_user WHERE tag = ${selectRef} AND user = ?`
const selectByJoined = `SELECT * FROM event INDEXED BY event_joined WHERE tag = ${selectRef} AND joined = ?`
const columns = ['position', 'idx'] as const

export const readEvent = (tagId: string) => (row: SqlRow) => readEventRow(row, { tagId, userId: row.user })

const selectFirst = `${selectByUser} ORDER BY position, idx LIMIT 1`

export function readFirstEventOf(read: SqlReader, tagId: string, userId: string): EventRecord | undefined {
  const row = read.one(selectFirst, tagId, userId)
  return row && readEvent(tagId)(row)
}

/** The events with a user's id, and those that matched the user by e-mail. Reads one page of each list. */
export function listEventsOfUser(
  read: SqlReader,
  tagId: string,
  userId: string,
  page: PageRequest,
): ResultPage<EventRecord> {
  const pages = [selectByUser, selectByJoined].map((sql) =>
    readPage(read, { sql, params: [tagId, userId], columns }, page, readEvent(tagId)),
  )
  const events = new Map(pages.flatMap(({ rows }) => rows.map((row) => [`${row.position} ${row.index}`, row])))
  const rows = [...events.values()].sort((one, other) => other.position - one.position || other.index - one.index)
  const pageRows = rows.slice(0, page.limit)
  const last = pageRows.at(-1)
  const hasMore = rows.length > pageRows.length || pages.some(({ next }) => next !== undefined)
  return { rows: pageRows, ...(last && hasMore && { next: encodeCursor(last.position, last.index) }) }
}
