import { encodeCursor, type PageRequest, type ResultPage } from '#store/cursor.ts'
import type { EventRecord } from '#store/journalQueries.ts'
import { readEventRow } from './deliveryRows.ts'
import type { Dialect } from './dialect.ts'
import { selectPage, toPage } from './page.ts'
import type { Read } from './read.ts'

const columns = ['position', 'idx']

export function readFirstEventOf({ eventsOfUser }: Dialect) {
  const select = `SELECT * FROM ${eventsOfUser.own} ORDER BY position, idx LIMIT 1`
  return function* (tagId: string, userId: string): Read<EventRecord | undefined> {
    const [row] = yield [select, tagId, userId]
    return row && readEventRow(row, tagId)
  }
}

/** The events with a user's id, and those that matched the user by e-mail. Reads one page of each list. */
export function listEventsOfUser({ eventsOfUser }: Dialect) {
  const selects = [eventsOfUser.own, eventsOfUser.joined].map((events) => `SELECT * FROM ${events}`)
  return function* (tagId: string, userId: string, page: PageRequest): Read<ResultPage<EventRecord>> {
    const found = new Map<string, EventRecord>()
    let hasNext = false
    for (const sql of selects) {
      const select = { sql, params: [tagId, userId], columns }
      const { rows, next } = toPage(yield selectPage(select, page), select, page, (row) => readEventRow(row, tagId))
      for (const row of rows) found.set(`${row.position} ${row.index}`, row)
      hasNext ||= next !== undefined
    }
    const rows = [...found.values()].sort((one, other) => other.position - one.position || other.index - one.index)
    const pageRows = rows.slice(0, page.limit)
    const last = pageRows.at(-1)
    const hasMore = hasNext || rows.length > pageRows.length
    return { rows: pageRows, ...(last && hasMore && { next: encodeCursor(last.position, last.index) }) }
  }
}
