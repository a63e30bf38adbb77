import type { SqlParam, WriteUnit } from '#kit/writeBatch.ts'
import type { DeliveryQueries, RetentionCutoffs } from '#store/deliveryQueries.ts'
import { type CountTable, countTableNames, countTables } from './countTables.ts'
import { dropUnusedParts } from './deploymentStatements.ts'
import type { Dialect } from './dialect.ts'
import { type SqlReads, type SqlRow, toStatement } from './sql.ts'

/** The progress of retention in one tag: its step, and the last row of that step. */
type RetentionCursor = { step: number; position: number; idx: number }
/** The statements of a slice, the number of dropped rows, and the next cursor; undefined when the step is done. */
type RetentionSlice = { statements: WriteUnit; dropped: number; next: RetentionCursor | undefined }
/** Finds the next slice of a tag. Its statements are written in one transaction. A step may also write directly. */
export type RetentionStep = (
  reads: SqlReads,
  cutoffs: RetentionCutoffs,
  tagId: string,
  cursor: RetentionCursor,
) => Promise<RetentionSlice>

const nothing: RetentionSlice = { statements: [], dropped: 0, next: undefined }
const minuteMs = 60_000
const dayMs = 86_400_000

/** Rows per commit. Other writes wait for it. */
const eventsPerCommit = 200
const packsPerCommit = 50
const deploymentsPerCommit = 50
const repeatsPerCommit = 500

function isExpired({ received_at, worst }: SqlRow, { journalMs, failuresMs }: RetentionCutoffs): boolean {
  const receivedAt = Number(received_at)
  return receivedAt < journalMs && (worst !== 1 || receivedAt < failuresMs) && worst !== 2
}

/** Finds the events of a slice that have expired, before the first one that is not old enough. */
export function findExpiredEvents({ ref }: Dialect) {
  // `worst`: 2 if a delivery is pending or held, 1 if one has failed, otherwise 0.
  const selectOldest = `
    SELECT tag, position, idx, received_at, (
      SELECT max(CASE WHEN status IN ('pending', 'held') THEN 2 WHEN status IN ('dead', 'refused') THEN 1 ELSE 0 END)
      FROM delivery WHERE delivery.position = event.position AND delivery.idx = event.idx
    ) AS worst
    FROM event WHERE tag = ${ref('?')} AND (position, idx) > (?, ?) ORDER BY tag, position, idx LIMIT ${eventsPerCommit}`
  return async (...[reads, cutoffs, tagId, cursor]: Parameters<RetentionStep>) => {
    const rows = await reads.all(selectOldest, tagId, cursor.position, cursor.idx)
    const last = rows.at(-1)
    const hasMore = last && rows.length === eventsPerCommit && Number(last.received_at) < cutoffs.journalMs
    return {
      expired: rows.filter((row) => isExpired(row, cutoffs)),
      next: hasMore ? { ...cursor, position: Number(last.position), idx: Number(last.idx) } : undefined,
    }
  }
}

/** The expired rows of a table. `select`: a query of the keys of one commit. */
type ExpiredRows = { table: string; key: string; select: string; limit: number }

/** Drops the rows of a slice. `also`: further statements for the tag. */
const dropRows =
  (
    { table, key, select, limit }: ExpiredRows,
    params: (cutoffs: RetentionCutoffs, tagId: string) => readonly SqlParam[],
    also: (tagId: string) => WriteUnit = () => [],
  ): RetentionStep =>
  async (reads, cutoffs, tagId, cursor) => {
    const values = params(cutoffs, tagId)
    const { length } = await reads.all(select, ...values)
    if (length === 0) return nothing
    const drop = toStatement(`DELETE FROM ${table} WHERE ${key} IN (${select})`, ...values)
    return { statements: [drop, ...also(tagId)], dropped: length, next: length >= limit ? cursor : undefined }
  }

const dropPacks = ({ ref }: Dialect, failed: 'TRUE' | 'FALSE', cutoff: keyof RetentionCutoffs): RetentionStep =>
  dropRows(
    {
      table: 'bodies',
      key: 'no',
      select: `SELECT no FROM bodies WHERE tag = ${ref('?1')} AND failed = ${failed} AND at < ?2 LIMIT ${packsPerCommit}`,
      limit: packsPerCommit,
    },
    (cutoffs, tagId) => [tagId, cutoffs[cutoff]],
  )

/** Drops deployments that have expired and are not among the newest of their tag, and the parts that only they have. */
const dropDeployments = (dialect: Dialect): RetentionStep =>
  dropRows(
    {
      table: 'deployment',
      key: 'no',
      select: `
        SELECT no FROM deployment
        WHERE tag = ?1 AND number <= (SELECT max(number) FROM deployment WHERE tag = ?1) - CAST(?2 AS bigint)
          AND created_at < ?3 ORDER BY number LIMIT ${deploymentsPerCommit}`,
      limit: deploymentsPerCommit,
    },
    ({ journalMs, keptDeployments }, tagId) => [tagId, keptDeployments, journalMs],
    (tagId) => [...dialect.lockTag(tagId), ...dropUnusedParts(dialect, tagId)],
  )

/** Drops the counts of repeated events that are older than the journal. */
const dropRepeats = ({ ref }: Dialect): RetentionStep => {
  const drop = dropRows(
    {
      table: 'event_repeat',
      key: '(tag, key)',
      select: `SELECT tag, key FROM event_repeat WHERE tag = ${ref('?1')} AND at < ?2 LIMIT ${repeatsPerCommit}`,
      limit: repeatsPerCommit,
    },
    ({ journalMs }, tagId) => [tagId, journalMs],
  )
  return async (...args) => ({ ...(await drop(...args)), dropped: 0 })
}

const oldNames = 'SELECT day, tag FROM counted_day WHERE day < ? ORDER BY day, tag LIMIT 1'
const dropNames = ['counted_day', 'counted_name'].map((table) => `DELETE FROM ${table} WHERE day = ? AND tag = ?`)

/** Drops the list of separately counted names of a day once its counts are rolled up. */
const dropCountedNames: RetentionStep = async (reads, { hourlyRollupMs }, _tagId, cursor) => {
  const expired = await reads.one(oldNames, Math.floor(hourlyRollupMs / dayMs))
  if (!expired) return nothing
  const statements = dropNames.map((sql) => toStatement(sql, Number(expired.day), expired.tag as SqlParam))
  return { statements, dropped: 0, next: cursor }
}

/** Adds the counts of minutes to the first minute of a longer step, so that old counts take less space. */
function rollUp(
  { ref, rollUpCounts }: Dialect,
  table: CountTable,
  stepMinutes: number,
  cutoff: keyof RetentionCutoffs,
): RetentionStep {
  const selectFineMinute = `
    SELECT minute FROM ${table} WHERE tag = ${ref('?')} AND minute > ? AND minute < ? AND minute % ${stepMinutes} <> 0
    ORDER BY tag, minute LIMIT 1`
  const texts = rollUpCounts(table, Object.keys(countTables[table]).join(', '), stepMinutes)
  return async (reads, cutoffs, tagId, cursor) => {
    // A step is rolled up once all of it is older than the cutoff.
    const until = Math.floor(cutoffs[cutoff] / minuteMs / stepMinutes) * stepMinutes
    const fine = await reads.one(selectFineMinute, tagId, cursor.position, until)
    if (!fine) return nothing
    const stepStart = Number(fine.minute) - (Number(fine.minute) % stepMinutes)
    const statements = texts.map((sql) => toStatement(sql, tagId, stepStart))
    return { statements, dropped: 0, next: { ...cursor, position: stepStart + stepMinutes - 1 } }
  }
}

const firstCursor = (step: number): RetentionCursor => ({ step, position: -1, idx: -1 })

type RetentionDeps = {
  reads: SqlReads
  /** Writes in one transaction. */
  write(statements: WriteUnit): Promise<void>
  dropEvents: RetentionStep
  /** Steps that only this database has. */
  more?: readonly RetentionStep[]
}

/** Skips steps without expired rows. */
export function createDropExpired(
  dialect: Dialect,
  { reads, write, dropEvents, more = [] }: RetentionDeps,
): DeliveryQueries['dropExpired'] {
  const tagSteps = [
    ...[dropEvents, dropPacks(dialect, 'FALSE', 'bodiesMs'), dropPacks(dialect, 'TRUE', 'failedBodiesMs')],
    ...[dropDeployments(dialect), dropRepeats(dialect), ...more],
    ...countTableNames.map((table) => rollUp(dialect, table, 60, 'hourlyRollupMs')),
    ...countTableNames.map((table) => rollUp(dialect, table, 24 * 60, 'dailyRollupMs')),
  ]
  // Rows of many tags: one slice per tag and day.
  const commonSteps = [dropCountedNames]
  return async (cutoffs, tagId, after) => {
    const steps = tagId === '' ? commonSteps : tagSteps
    let cursor = after === undefined ? firstCursor(0) : (JSON.parse(after) as RetentionCursor)
    for (; cursor.step < steps.length; cursor = firstCursor(cursor.step + 1)) {
      const { statements, dropped, next } = await steps[cursor.step]!(reads, cutoffs, tagId, cursor)
      if (statements.length > 0) await write(statements)
      if (next || dropped > 0) return { dropped, next: JSON.stringify(next ?? firstCursor(cursor.step + 1)) }
    }
    return { dropped: 0 }
  }
}
