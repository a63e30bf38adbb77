import type { QueryRow, Sql } from '#postgres/database.ts'
import { isErrorState, smallestOf } from '#store/channelErrors.ts'
import type { ChannelFigures } from '#store/journalQueries.ts'
import { readLastError } from '#store/sql/deliveryRows.ts'
import { type LastAttempt, readLastAttempts } from './deliveryScan.ts'
import { keyColumns, ofEachKey, type StatusKey, scanStatuses } from './statusScan.ts'

const countOfKeys = `SELECT key.script, key.status, found.count ${ofEachKey('count(*) AS count')}`
const firstOfKeys = `
  SELECT key.script, (
    SELECT received_at FROM event WHERE tag = $1 AND event.position = found.position AND event.idx = found.idx
  ) AS received_at ${ofEachKey('position, idx', { order: 'ASC', limit: '1' })}`
const lastColumns = 'id, position, idx, delivery.script, delivery.status, delivery.reason, at'
const lastOfKeys = `SELECT found.* ${ofEachKey(lastColumns, { order: 'DESC', limit: '1' })} ORDER BY found.at DESC`
/** Priorities 0 to 2: first attempts, retries, replays. */
const selectNextAts = `
  SELECT wanted.script,
  next.next_at FROM unnest($1::text[]) AS wanted (script) CROSS JOIN unnest($2::int[]) AS wanted_priority (number)
    CROSS JOIN LATERAL (
      SELECT next_at FROM delivery WHERE delivery.script = wanted.script AND delivery.priority = wanted_priority.number
        AND status = 'pending'
      ORDER BY next_at LIMIT 1
    ) AS next`
const priorityNumbers = [0, 1, 2]
const statuses = ['pending', 'held', 'refused', 'dead'] as const
const selectDelivered = 'SELECT script, at FROM last_delivery WHERE tag = $1 AND script = ANY($2)'

/** What the statements have found of all channels. */
type FoundRows = {
  counts: { script: string; status: string; count: number }[]
  firsts: { script: string; received_at: number | null }[]
  nexts: { script: string; next_at: number }[]
  /** The last of each key that has failed, newest first. */
  failed: QueryRow[]
  delivered: { script: string; at: number }[]
}

async function readRows(sql: Sql, tagId: string, keys: readonly StatusKey[], scriptIds: readonly string[]) {
  const ofStatus = (...wanted: string[]) => keys.filter(({ status }) => wanted.includes(status))
  const read = <Row extends QueryRow>(text: string, some: readonly StatusKey[]) =>
    some.length === 0 ? [] : sql<Row>(text, [tagId, ...keyColumns(some)])
  return {
    counts: await read(countOfKeys, ofStatus('pending', 'held')),
    firsts: await read(firstOfKeys, ofStatus('pending')),
    failed: await read(
      lastOfKeys,
      keys.filter(({ status, reason }) => isErrorState(status, reason)),
    ),
    delivered: await sql(selectDelivered, [tagId, scriptIds]),
    nexts: await sql(selectNextAts, [scriptIds, priorityNumbers]),
  } as FoundRows
}

function figuresOf(
  scriptId: string,
  { counts, firsts, nexts, failed, delivered }: FoundRows,
  attempts: ReadonlyMap<string, LastAttempt>,
): ChannelFigures {
  const isOwn = ({ script }: { script?: unknown }) => script === scriptId
  const countOf = (wanted: string) =>
    counts.filter(isOwn).reduce((sum, { status, count }) => sum + (status === wanted ? count : 0), 0)
  const oldestAt = smallestOf(firsts.filter(isOwn).map((row) => row.received_at ?? undefined))
  const nextAt = smallestOf(nexts.filter(isOwn).map((row) => row.next_at))
  const lastDelivered = delivered.find(isOwn)
  const lastFailed = failed.find(isOwn)
  return {
    scriptId,
    waiting: countOf('pending'),
    held: countOf('held'),
    ...(oldestAt !== undefined && { oldestAt }),
    ...(nextAt !== undefined && { nextAt }),
    ...(lastDelivered && { lastDeliveredAt: lastDelivered.at }),
    ...(lastFailed && { lastError: readLastError(lastFailed, attempts.get(String(lastFailed.id))) }),
  }
}

/** What waits for each script, and its last delivery and error. Reads indexes only, besides one row of each kind. */
export async function readChannelFigures(
  sql: Sql,
  tagId: string,
  scriptIds: readonly string[],
): Promise<ChannelFigures[]> {
  const keys = await scanStatuses(sql, tagId, { statuses }, scriptIds)
  const rows = await readRows(sql, tagId, keys, scriptIds)
  const failed = rows.failed.map(({ id }) => String(id))
  const attempts = await readLastAttempts(sql, failed)
  return scriptIds.map((scriptId) => figuresOf(scriptId, rows, attempts))
}
