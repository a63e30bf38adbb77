import type { Database } from '#postgres/database.ts'
import { repeatUnknown } from '#postgres/repeatWhileAway.ts'
import type { DeliveryQueries } from '#store/deliveryQueries.ts'
import { countTableNames } from '#store/sql/countTables.ts'
import { dropUnusedParts } from '#store/sql/deploymentStatements.ts'
import { postgresDialect } from './dialect.ts'
import { dropLeftTag } from './droppedTags.ts'
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
    (SELECT no FROM bodies WHERE tag = $1 AND NOT failed AND at < $2 LIMIT ${packsPerCommit}) UNION ALL
    (SELECT no FROM bodies WHERE tag = $1 AND failed AND at < $3 LIMIT ${packsPerCommit})
  ) RETURNING no`

const dropBodies: RetentionStep = async ({ sql }, { bodiesMs, failedBodiesMs }, tagId, cursor) => {
  const { length } = await sql(dropPacks, [tagId, bodiesMs, failedBodiesMs])
  return { dropped: length, next: length >= packsPerCommit ? cursor : undefined }
}

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
const dropDeployments: RetentionStep = async (database, { journalMs, keptDeployments }, tagId, cursor) => {
  const length = await database.transaction(async (sql) => {
    const dropped = await sql(dropNumbers, [tagId, keptDeployments, journalMs])
    if (dropped.length === 0) return 0
    await sql(lockTag, [tagId])
    for (const each of dropUnusedParts(postgresDialect, tagId)) await runStatement(sql, each)
    return dropped.length
  })
  return { dropped: length, next: length === deploymentsPerCommit ? cursor : undefined }
}

const dropOldRepeats = `
  DELETE FROM event_repeat WHERE (tag, key) IN (
    SELECT tag, key FROM event_repeat WHERE tag = $1 AND at < $2 LIMIT ${repeatsPerCommit}
  ) RETURNING 1 AS one`

/** Drops the counts of repeated events that are older than the journal. */
const dropRepeats: RetentionStep = async ({ sql }, { journalMs }, tagId, cursor) => {
  const { length } = await sql(dropOldRepeats, [tagId, journalMs])
  return { dropped: 0, next: length === repeatsPerCommit ? cursor : undefined }
}

const oldNames = 'SELECT day, tag FROM counted_day WHERE day < $1 ORDER BY day, tag LIMIT 1'
const dropDay = 'DELETE FROM counted_day WHERE day = $1 AND tag = $2'
const dropNames = 'DELETE FROM counted_name WHERE day = $1 AND tag = $2'

/** Drops the separately counted names of a tag and a day whose counts are rolled up. */
const dropCountedNames: RetentionStep = async (database, { hourlyRollupMs }, _tagId, cursor) => {
  const [expired] = await database.sql(oldNames, [Math.floor(hourlyRollupMs / dayMs)])
  if (!expired) return { dropped: 0, next: undefined }
  const key = [Number(expired.day), String(expired.tag)]
  await database.transaction(async (sql) => {
    await sql(dropDay, key)
    await sql(dropNames, key)
  })
  return { dropped: 0, next: cursor }
}

/** The steps of a tag, in order, and those of what belongs to many tags: one slice for each tag and day. */
const tagSteps = [dropEvents, dropBodies, dropDeployments, dropRepeats, dropLeftTag, ...rollups]
const commonSteps = [dropCountedNames]

const firstCursor = (step: number): RetentionPlace => ({ step, position: -1, idx: -1 })

/** Steps without expired rows are passed over. */
export const createDropExpired =
  (database: Database): DeliveryQueries['dropExpired'] =>
  async (cutoffs, tagId, after) => {
    const steps = tagId === '' ? commonSteps : tagSteps
    let cursor = after === undefined ? firstCursor(0) : (JSON.parse(after) as RetentionPlace)
    for (; cursor.step < steps.length; cursor = firstCursor(cursor.step + 1)) {
      const { dropped, next } = await repeatUnknown(() => steps[cursor.step]!(database, cutoffs, tagId, cursor))
      if (next || dropped > 0) return { dropped, next: JSON.stringify(next ?? firstCursor(cursor.step + 1)) }
    }
    return { dropped: 0 }
  }

const keptTables = ['event', 'bodies', 'deployment', 'event_repeat', 'dropped_tag', ...countTableNames]
const nextTag = `SELECT min(tag) AS tag FROM (${keptTables
  .map((table) => `(SELECT tag FROM ${table} WHERE tag > $1 ORDER BY tag LIMIT 1)`)
  .join(' UNION ALL ')}) AS kept`

export const createNextKeptTag =
  ({ sql }: Pick<Database, 'sql'>): DeliveryQueries['nextKeptTag'] =>
  async (after) => {
    const [next] = await sql<{ tag: string | null }>(nextTag, [after])
    return next?.tag ?? undefined
  }
