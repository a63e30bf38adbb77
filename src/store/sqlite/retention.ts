import type { DeliveryQueries, RetentionCutoffs } from '#store/deliveryQueries.ts'
import { dropUnusedParts } from '#store/sql/deploymentStatements.ts'
import { sqliteDialect } from './dialect.ts'
import type { JournalWriter } from './fold/journalWriter.ts'
import { readRef } from './refs.ts'
import type { RetentionCursor, RetentionLook } from './retentionSlice.ts'
import { rollups } from './rollup.ts'
import type { SqlReader, SqlRow } from './sqlReader.ts'

/** The limits of one commit. Other writes wait while it runs. */
const eventsPerCommit = 200
const dayMs = 86_400_000
const packsPerCommit = 50
const deploymentsPerCommit = 50

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
  `DELETE FROM purchase WHERE position = ?1 AND idx = ?2 AND ${isDone}`,
  `DELETE FROM event WHERE position = ?1 AND idx = ?2 AND tag = ?3 AND ${isDone}`,
]

function isExpired({ received_at, worst }: SqlRow, { journalMs, failuresMs }: RetentionCutoffs): boolean {
  const receivedAt = Number(received_at)
  return receivedAt < journalMs && (worst !== 1 || receivedAt < failuresMs) && worst !== 2
}

/** Drops the events of a tag with their deliveries and attempts, up to the first one that has not expired. */
const dropEvents: RetentionLook = (read, cutoffs, { no }, cursor) => {
  const rows = read.all(selectOldest, no, cursor.position, cursor.idx, eventsPerCommit)
  const expired = rows.filter((row) => isExpired(row, cutoffs)).map(({ tag, position, idx }) => [position, idx, tag])
  const last = rows.at(-1)
  const isDone = rows.length < eventsPerCommit || Number(last?.received_at) >= cutoffs.journalMs
  const statements = dropEventStatements.map((sql, at) => ({
    sql,
    rows: expired.map((each) => each.slice(0, at === 3 ? 3 : 2)) as number[][],
  }))
  return {
    statements: expired.length > 0 ? statements : [],
    dropped: expired.length,
    next: isDone ? undefined : { ...cursor, position: Number(last!.position), idx: Number(last!.idx) },
  }
}

const dropPacks = 'DELETE FROM bodies WHERE no IN (SELECT value FROM json_each(?))'
const oldPacks = 'SELECT no FROM bodies WHERE tag = ? AND failed = ? AND at < ? LIMIT ?'

const dropBodies: RetentionLook = (read, { bodiesMs, failedBodiesMs }, { no: tag }, cursor) => {
  const expired = [
    ...read.all(oldPacks, tag, 0, bodiesMs, packsPerCommit),
    ...read.all(oldPacks, tag, 1, failedBodiesMs, packsPerCommit),
  ].map(({ no }) => Number(no))
  const statements = expired.length > 0 ? [{ sql: dropPacks, rows: [[JSON.stringify(expired)]] }] : []
  return { statements, dropped: expired.length, next: expired.length >= packsPerCommit ? cursor : undefined }
}

const oldDeployments = `
  SELECT no FROM deployment WHERE tag = ?1 AND number <= (SELECT max(number) FROM deployment WHERE tag = ?1) - ?2
    AND created_at < ?3 ORDER BY number LIMIT ?4`
const dropDeployments = 'DELETE FROM deployment WHERE no IN (SELECT value FROM json_each(?))'

/** Drops deployments that are expired and not among the newest of their tag, and what only they have. */
const dropOldDeployments: RetentionLook = (read, { journalMs, keptDeployments }, { tagId }, cursor) => {
  const expired = read
    .all(oldDeployments, tagId, keptDeployments, journalMs, deploymentsPerCommit)
    .map(({ no }) => Number(no))
  const drop = { sql: dropDeployments, rows: [[JSON.stringify(expired)]] }
  return {
    statements: expired.length > 0 ? [drop, ...dropUnusedParts(sqliteDialect, tagId)] : [],
    dropped: expired.length,
    next: expired.length === deploymentsPerCommit ? cursor : undefined,
  }
}

const repeatsPerCommit = 500
const oldRepeats = 'SELECT tag, key FROM event_repeat WHERE tag = ? AND at < ? LIMIT ?'
const dropRepeat = 'DELETE FROM event_repeat WHERE tag = ? AND key = ?'

/** Drops the counts of repeated events that are older than the journal. */
const dropRepeats: RetentionLook = (read, { journalMs }, { no }, cursor) => {
  const expired = read
    .all(oldRepeats, no, journalMs, repeatsPerCommit)
    .map(({ tag, key }) => [Number(tag), String(key)])
  const statements = expired.length > 0 ? [{ sql: dropRepeat, rows: expired }] : []
  return { statements, dropped: 0, next: expired.length === repeatsPerCommit ? cursor : undefined }
}

const oldNames = 'SELECT day, tag FROM counted_day WHERE day < ? LIMIT 1'
const dropNames = ['counted_name', 'counted_day'].map((table) => `DELETE FROM ${table} WHERE day = ? AND tag = ?`)

/** Drops the separately counted names of a tag and a day whose counts are rolled up. */
const dropCountedNames: RetentionLook = (read, { hourlyRollupMs }, _tag, cursor) => {
  const expired = read.one(oldNames, Math.floor(hourlyRollupMs / dayMs))
  if (!expired) return { statements: [], dropped: 0, next: undefined }
  return {
    statements: dropNames.map((sql) => ({ sql, rows: [[Number(expired.day), Number(expired.tag)]] })),
    dropped: 0,
    next: cursor,
  }
}

/** The steps of a tag, in order, and those of what belongs to many tags: one slice for each tag and day. */
const tagSteps = [dropEvents, dropBodies, dropOldDeployments, dropRepeats, ...rollups]
const commonSteps = [dropCountedNames]

const firstCursor = (step: number): RetentionCursor => ({ step, position: -1, idx: -1 })

/** Steps without expired rows are passed over. */
export const createDropExpired =
  (read: SqlReader, writer: JournalWriter): DeliveryQueries['dropExpired'] =>
  async (cutoffs, tagId, after) => {
    await writer.fold()
    const steps = tagId === '' ? commonSteps : tagSteps
    const tag = { tagId, no: readRef(read, tagId) }
    let cursor = after === undefined ? firstCursor(0) : (JSON.parse(after) as RetentionCursor)
    for (; cursor.step < steps.length; cursor = firstCursor(cursor.step + 1)) {
      const { statements, dropped, next } = steps[cursor.step]!(read, cutoffs, tag, cursor)
      if (statements.length > 0) await writer.write(statements)
      if (next || dropped > 0) return { dropped, next: JSON.stringify(next ?? firstCursor(cursor.step + 1)) }
    }
    return { dropped: 0 }
  }

// Scripts have numbers too, of which none begins like the id of a tag.
const nextTag = `SELECT min(tag) AS tag FROM (
  SELECT min(id) AS tag FROM ref WHERE id > ?1 AND id >= 'tag_' AND id < 'taga' UNION ALL
  SELECT min(tag) FROM deployment WHERE tag > ?1
)`

export const createNextKeptTag =
  (read: SqlReader, writer: JournalWriter): DeliveryQueries['nextKeptTag'] =>
  async (after) => {
    await writer.fold()
    const next = read.one(nextTag, after)?.tag
    return next === null || next === undefined ? undefined : String(next)
  }
