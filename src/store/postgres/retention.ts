import type { Database } from '#postgres/database.ts'
import { repeatUnknown } from '#postgres/repeatWhileAway.ts'
import type { DeliveryQueries } from '#store/deliveryQueries.ts'
import { dropUnusedParts } from '#store/sql/deploymentStatements.ts'
import { postgresDialect } from './dialect.ts'
import { dropLeftTags } from './droppedTags.ts'
import { dropEvents } from './eventRetention.ts'
import type { RetentionPlace, RetentionStep } from './retentionSlice.ts'
import { rollups } from './rollup.ts'
import { runStatement } from './statements.ts'

/** The limits of one statement. */
const packsPerCommit = 50
const deploymentsPerCommit = 50
const repeatsPerCommit = 500
const dayMs = 86_400_000

const dropPacks = `
  DELETE FROM bodies WHERE no IN (
    (SELECT no FROM bodies WHERE NOT failed AND at < $1 LIMIT ${packsPerCommit}) UNION ALL
    (SELECT no FROM bodies WHERE failed AND at < $2 LIMIT ${packsPerCommit})
  ) RETURNING no`

const dropBodies: RetentionStep = async ({ sql }, { bodiesMs, failedBodiesMs }, cursor) => {
  const { length } = await sql(dropPacks, [bodiesMs, failedBodiesMs])
  return { dropped: length, next: length > 0 ? cursor : undefined }
}

const nextDeployedTag = 'SELECT tag FROM deployment WHERE tag > $1 ORDER BY tag LIMIT 1'
const dropNumbers = `
  DELETE FROM deployment WHERE tag = $1 AND number IN (
    SELECT number FROM deployment
    WHERE tag = $1 AND number <= (SELECT max(number) FROM deployment WHERE tag = $1) - $2::bigint AND created_at < $3
    ORDER BY number LIMIT ${deploymentsPerCommit}
  ) RETURNING number`

const lockTag = 'SELECT id FROM tag WHERE id = $1 FOR UPDATE'

/**
 * Drops deployments that are expired and not among the newest of their tag, and what only they have. The tag is locked, so
 * that a deployment that is being written finds its parts or writes them.
 */
const dropDeployments: RetentionStep = async (database, { journalMs, keptDeployments }, cursor) => {
  const tag = String(cursor.tag)
  const length = await database.transaction(async (sql) => {
    const dropped = await sql(dropNumbers, [tag, keptDeployments, journalMs])
    if (dropped.length === 0) return 0
    await sql(lockTag, [tag])
    for (const each of dropUnusedParts(postgresDialect, tag)) await runStatement(sql, each)
    return dropped.length
  })
  if (length === deploymentsPerCommit) return { dropped: length, next: cursor }
  const [next] = await database.sql(nextDeployedTag, [cursor.tag])
  return { dropped: length, next: next && { ...cursor, tag: String(next.tag) } }
}

const oldNames = 'SELECT day, tag FROM counted_day WHERE day < $1 ORDER BY day, tag LIMIT 1'
const dropDay = 'DELETE FROM counted_day WHERE day = $1 AND tag = $2'
const dropNames = 'DELETE FROM counted_name WHERE day = $1 AND tag = $2'

/** Drops the separately counted names of days whose counts are rolled up. */
const dropCountedNames: RetentionStep = async (database, { hourlyRollupMs }, cursor) => {
  const [expired] = await database.sql(oldNames, [Math.floor(hourlyRollupMs / dayMs)])
  if (!expired) return { dropped: 0, next: undefined }
  const key = [Number(expired.day), String(expired.tag)]
  await database.transaction(async (sql) => {
    await sql(dropDay, key)
    await sql(dropNames, key)
  })
  return { dropped: 0, next: cursor }
}

const dropOldRepeats = `
  DELETE FROM event_repeat WHERE (tag, key) IN (
    SELECT tag, key FROM event_repeat WHERE at < $1 LIMIT ${repeatsPerCommit}
  ) RETURNING 1 AS one`

/** Drops the counts of repeated events that are older than the journal. */
const dropRepeats: RetentionStep = async ({ sql }, { journalMs }, cursor) => {
  const { length } = await sql(dropOldRepeats, [journalMs])
  return { dropped: 0, next: length > 0 ? cursor : undefined }
}

/** The steps, in order. */
const steps = [dropEvents, dropBodies, dropDeployments, dropCountedNames, dropRepeats, dropLeftTags, ...rollups]

const firstCursor = (step: number): RetentionPlace | undefined =>
  step < steps.length ? { step, tag: '', position: -1, idx: -1 } : undefined

export const createDropExpired =
  (database: Database): DeliveryQueries['dropExpired'] =>
  async (cutoffs, after) => {
    const cursor = after === undefined ? firstCursor(0)! : (JSON.parse(after) as RetentionPlace)
    const { dropped, next } = await repeatUnknown(() => steps[cursor.step]!(database, cutoffs, cursor))
    const following = next ?? firstCursor(cursor.step + 1)
    return { dropped, ...(following && { next: JSON.stringify(following) }) }
  }
