import { slotsOfTag } from '#cluster/postgres/spread.ts'
import { slotOf } from '#cluster/slotOf.ts'
import type { QueryRow, Sql } from '#postgres/database.ts'
import { decodeCursor, encodeCursor } from '#store/cursor.ts'
import type { EventRecord } from '#store/journalQueries.ts'
import { readAttempt, readDelivery, readEventRow } from '#store/sql/eventRows.ts'
import type { JournalEvent, PageRequest, ResultPage } from '#store/store.ts'

const readEvent = (row: QueryRow) => readEventRow(row, { tagId: row.tag, userId: row.user_id })

const selectEvent = 'SELECT * FROM event WHERE tag = $1 AND position = $2 AND idx = $3'

/** The deliveries of an event, those without a row included. */
const selectDeliveries = `
  WITH listed AS (
    SELECT id, script AS script_id, provider, status, reason, at, next_at, replay AS replay_id
    FROM delivery WHERE position = $2 AND idx = $3
    UNION ALL
    SELECT each.value ->> 0, each.value ->> 1, each.value ->> 2, 'pending', NULL, event.received_at, event.received_at, NULL
    FROM planned JOIN event USING (tag, position, idx) CROSS JOIN LATERAL json_array_elements(planned.deliveries::json) AS each
    WHERE planned.slot = ANY(${slotsOfTag('$4', '$1')}) AND planned.position = $2 AND planned.idx = $3 AND NOT EXISTS (
      SELECT 1 FROM delivery WHERE position = $2 AND idx = $3 AND delivery.script = each.value ->> 1)
  )
  SELECT listed.*, pause.reason AS paused_for FROM listed
    LEFT JOIN channel_pause AS pause ON pause.script = listed.script_id AND listed.status = 'pending'
  ORDER BY listed.script_id`
const selectAttempts =
  'SELECT every_attempt.*, delivery AS delivery_id FROM every_attempt WHERE delivery = ANY($1) ORDER BY number'

/** An event with its deliveries and their attempts. */
export async function readJournalEvent(
  sql: Sql,
  tagId: string,
  position: number,
  index: number,
): Promise<JournalEvent | undefined> {
  const [row] = await sql(selectEvent, [tagId, position, index])
  if (!row) return undefined
  const rows = await sql(selectDeliveries, [slotOf(tagId), position, index, tagId])
  const attempts = await sql(selectAttempts, [rows.map(({ id }) => String(id))])
  const journalAttempts = attempts.map(readAttempt)
  return { ...readEvent(row), deliveries: rows.map((each) => readDelivery(each, journalAttempts)) }
}

const selectPage = (column: 'user_id' | 'joined') => `
  SELECT * FROM event WHERE tag = $1 AND ${column} = $2 AND (position, idx) < ($3, $4)
  ORDER BY position DESC, idx DESC LIMIT $5`
const pageStatements = [selectPage('user_id'), selectPage('joined')]
const maxIndex = 2 ** 31 - 1

const selectFirst = 'SELECT * FROM event WHERE tag = $1 AND user_id = $2 ORDER BY position, idx LIMIT 1'

export async function readFirstEventOf(sql: Sql, tagId: string, userId: string): Promise<EventRecord | undefined> {
  const [row] = await sql(selectFirst, [tagId, userId])
  return row && readEvent(row)
}

/** The events with a user's id, and those that matched the user by e-mail. Reads one page of each list. */
export async function listEventsOfUser(
  sql: Sql,
  tagId: string,
  userId: string,
  { cursor, limit }: PageRequest,
): Promise<ResultPage<EventRecord>> {
  const before = cursor === undefined ? [Number.MAX_SAFE_INTEGER, maxIndex] : decodeCursor(cursor, 2)
  const params = [tagId, userId, ...before, limit + 1]
  const lists: QueryRow[][] = []
  for (const each of pageStatements) lists.push(await sql(each, params))
  const found = new Map(lists.flat().map((row) => [`${row.position} ${row.idx}`, readEvent(row)]))
  const rows = [...found.values()].sort((one, other) => other.position - one.position || other.index - one.index)
  const pageRows = rows.slice(0, limit)
  const last = pageRows.at(-1)
  return { rows: pageRows, ...(last && rows.length > limit && { next: encodeCursor(last.position, last.index) }) }
}
