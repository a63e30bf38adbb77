import type { DeliveryQueries, RetentionCutoffs } from '#store/deliveryQueries.ts'
import { dropUnusedParts } from '#store/sql/deploymentStatements.ts'
import { sqliteDialect } from './dialect.ts'
import type { JournalWriter } from './fold/journalWriter.ts'
import type { RetentionCursor, RetentionSlice } from './retentionSlice.ts'
import { rollups } from './rollup.ts'
import type { SqlReader, SqlRow } from './sqlReader.ts'

/** The limits of one commit. Other writes wait while it runs. */
const eventsPerCommit = 200
const dayMs = 86_400_000
const packsPerCommit = 50
const deploymentsPerCommit = 50

const nextTag = 'SELECT min(tag) AS tag FROM event WHERE tag > ?'
/** `worst` is 2 if a delivery is pending or held, 1 if one has failed, else 0. */
const selectOldest = `
  SELECT tag, position, idx, received_at, (
    SELECT max(CASE WHEN status IN ('pending', 'held') THEN 2 WHEN status IN ('dead', 'refused') THEN 1 ELSE 0 END)
    FROM delivery WHERE delivery.position = event.position AND delivery.idx = event.idx
  ) AS worst
  FROM event WHERE tag = ? AND (position, idx) > (?, ?) ORDER BY position, idx LIMIT ?`

/** Keeps an event whose delivery became pending again meanwhile. */
const isDone = `NOT EXISTS (
    SELECT 1 FROM delivery WHERE delivery.position = ?1 AND delivery.idx = ?2 AND status IN ('pending', 'held'))`
const dropEventStatements = [
  `DELETE FROM attempt WHERE position = ?1 AND idx = ?2 AND ${isDone}`,
  `DELETE FROM delivery WHERE position = ?1 AND idx = ?2 AND ${isDone}`,
  `DELETE FROM event WHERE position = ?1 AND idx = ?2 AND tag = ?3 AND ${isDone}`,
]

function isExpired({ received_at, worst }: SqlRow, { journalMs, failuresMs }: RetentionCutoffs): boolean {
  const receivedAt = Number(received_at)
  return receivedAt < journalMs && (worst !== 1 || receivedAt < failuresMs) && worst !== 2
}

/** Drops events with their deliveries and attempts, tag by tag, up to the first one that has not expired. */
function dropEvents(read: SqlReader, cutoffs: RetentionCutoffs, cursor: RetentionCursor): RetentionSlice {
  const rows = read.all(selectOldest, cursor.tag, cursor.position, cursor.idx, eventsPerCommit)
  const expired = rows.filter((row) => isExpired(row, cutoffs)).map(({ tag, position, idx }) => [position, idx, tag])
  const last = rows.at(-1)
  const isTagDone = rows.length < eventsPerCommit || Number(last?.received_at) >= cutoffs.journalMs
  const tag = isTagDone ? (read.one(nextTag, cursor.tag)?.tag ?? undefined) : cursor.tag
  const next = isTagDone ? { position: -1, idx: -1 } : { position: Number(last!.position), idx: Number(last!.idx) }
  return {
    statements: dropEventStatements.map((sql, at) => ({
      sql,
      rows: expired.map((each) => each.slice(0, at === 2 ? 3 : 2)) as number[][],
    })),
    dropped: expired.length,
    next: tag === undefined ? undefined : { ...cursor, tag: Number(tag), ...next },
  }
}

const dropPacks = 'DELETE FROM bodies WHERE no IN (SELECT value FROM json_each(?))'
const oldPacks = 'SELECT no FROM bodies WHERE failed = ? AND at < ? LIMIT ?'

function dropBodies(
  read: SqlReader,
  { bodiesMs, failedBodiesMs }: RetentionCutoffs,
  cursor: RetentionCursor,
): RetentionSlice {
  const expired = [
    ...read.all(oldPacks, 0, bodiesMs, packsPerCommit),
    ...read.all(oldPacks, 1, failedBodiesMs, packsPerCommit),
  ].map(({ no }) => Number(no))
  const statements = expired.length > 0 ? [{ sql: dropPacks, rows: [[JSON.stringify(expired)]] }] : []
  return { statements: statements, dropped: expired.length, next: expired.length > 0 ? cursor : undefined }
}

const nextDeployedTag = 'SELECT min(tag) AS tag FROM deployment WHERE tag > ?'
const oldDeployments = `
  SELECT no FROM deployment WHERE tag = ?1 AND number <= (SELECT max(number) FROM deployment WHERE tag = ?1) - ?2
    AND created_at < ?3 ORDER BY number LIMIT ?4`
const dropDeployments = 'DELETE FROM deployment WHERE no IN (SELECT value FROM json_each(?))'

/** Drops deployments that are expired and not among the newest of their tag, and what only they have. */
function dropOldDeployments(
  read: SqlReader,
  { journalMs, keptDeployments: deployments }: RetentionCutoffs,
  cursor: RetentionCursor,
): RetentionSlice {
  const expired = read
    .all(oldDeployments, cursor.tag, deployments, journalMs, deploymentsPerCommit)
    .map(({ no }) => Number(no))
  const isTagDone = expired.length < deploymentsPerCommit
  const tag = isTagDone ? (read.one(nextDeployedTag, cursor.tag)?.tag ?? undefined) : cursor.tag
  return {
    statements:
      expired.length > 0
        ? [
            { sql: dropDeployments, rows: [[JSON.stringify(expired)]] },
            ...dropUnusedParts(sqliteDialect, String(cursor.tag)),
          ]
        : [],
    dropped: expired.length,
    next: tag === undefined ? undefined : { ...cursor, tag: String(tag) },
  }
}

const oldNames = 'SELECT day, tag FROM counted_day WHERE day < ? LIMIT 1'
const dropNames = ['counted_name', 'counted_day'].map((table) => `DELETE FROM ${table} WHERE day = ? AND tag = ?`)

/** Drops the separately counted names of days whose counts are rolled up. */
function dropCountedNames(
  read: SqlReader,
  { hourlyRollupMs: hoursMs }: RetentionCutoffs,
  cursor: RetentionCursor,
): RetentionSlice {
  const expired = read.one(oldNames, Math.floor(hoursMs / dayMs))
  if (!expired) return { statements: [], dropped: 0, next: undefined }
  return {
    statements: dropNames.map((sql) => ({ sql, rows: [[Number(expired.day), Number(expired.tag)]] })),
    dropped: 0,
    next: cursor,
  }
}

const repeatsPerCommit = 500
const oldRepeats = 'SELECT tag, key FROM event_repeat WHERE at < ? LIMIT ?'
const dropRepeat = 'DELETE FROM event_repeat WHERE tag = ? AND key = ?'

/** Drops the counts of repeated events that are older than the journal. */
function dropRepeats(read: SqlReader, { journalMs }: RetentionCutoffs, cursor: RetentionCursor): RetentionSlice {
  const expired = read.all(oldRepeats, journalMs, repeatsPerCommit).map(({ tag, key }) => [Number(tag), String(key)])
  const statements = expired.length > 0 ? [{ sql: dropRepeat, rows: expired }] : []
  return { statements, dropped: 0, next: expired.length > 0 ? cursor : undefined }
}

/** The steps, in order. Each has its first cursor. */
const retentionSteps: readonly {
  from: Omit<RetentionCursor, 'step'>
  look(read: SqlReader, cutoffs: RetentionCutoffs, cursor: RetentionCursor): RetentionSlice
}[] = [
  { from: { tag: 0, position: -1, idx: -1 }, look: dropEvents },
  { from: { tag: 0, position: -1, idx: -1 }, look: dropBodies },
  { from: { tag: '', position: -1, idx: -1 }, look: dropOldDeployments },
  { from: { tag: 0, position: -1, idx: -1 }, look: dropCountedNames },
  { from: { tag: 0, position: -1, idx: -1 }, look: dropRepeats },
  ...rollups.map((run) => ({ from: { tag: 0, position: -1, idx: -1 }, look: run })),
]

const firstCursor = (step: number): RetentionCursor | undefined =>
  retentionSteps[step] && { step, ...retentionSteps[step].from }

export const createDropExpired =
  (read: SqlReader, writer: JournalWriter): DeliveryQueries['dropExpired'] =>
  async (cutoffs, after) => {
    await writer.fold()
    const cursor = after === undefined ? firstCursor(0)! : (JSON.parse(after) as RetentionCursor)
    const { statements, dropped, next } = retentionSteps[cursor.step]!.look(read, cutoffs, cursor)
    if (statements.length > 0) await writer.write(statements)
    const following = next ?? firstCursor(cursor.step + 1)
    return { dropped, ...(following && { next: JSON.stringify(following) }) }
  }
