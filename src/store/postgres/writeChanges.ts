import { randomUUID } from 'node:crypto'
import { openActivity } from '#kit/activity.ts'
import { appendChanges, type Change } from '#postgres/appendChanges.ts'
import type { Database, Sql } from '#postgres/database.ts'
import { DatabaseError, isAway, isLockTimeout } from '#postgres/databaseError.ts'
import { repeatUnknown } from '#postgres/repeatWhileAway.ts'
import { isDeployed } from '#store/sql/scriptStatements.ts'
import { Conflict, type StoreChange, type StoreWrites, Unwritable } from '#store/store.ts'
import { deleteDroppedTag } from './droppedTags.ts'
import { writeChange } from './storeChanges.ts'

type ReplacedPart = { tag: string; part: string }

const selectParts = 'SELECT tag, part FROM script WHERE id = ANY ($1::text[])'

/** The parts that the scripts of a write had before it. */
async function partsOfScripts(sql: Sql, changes: readonly StoreChange[]): Promise<ReplacedPart[]> {
  const scriptIds = changes.flatMap((each) => ('put' in each && each.put === 'script' ? each.row.scriptId : []))
  return scriptIds.length > 0 ? sql<ReplacedPart>(selectParts, [scriptIds]) : []
}

/** Does not wait: parts that a concurrent write keeps are dropped later, with an old deployment. */
const lockTag = 'SELECT id FROM tag WHERE id = $1 FOR UPDATE SKIP LOCKED'
const dropParts = `
  DELETE FROM snapshot_part WHERE tag = $1 AND hash = ANY ($2::text[]) AND NOT ${isDeployed}
    AND NOT EXISTS (SELECT 1 FROM script WHERE script.tag = $1 AND part = hash)`

/**
 * Drops the parts that no script and no deployment has any more. Runs at the end of a write, because it locks the tag.
 */
async function dropReplacedParts(sql: Sql, parts: readonly ReplacedPart[]): Promise<void> {
  for (const [tag, rows] of Map.groupBy(parts, (each) => each.tag)) {
    const hashes = rows.map(({ part }) => part)
    if ((await sql(lockTag, [tag])).length > 0) await sql(dropParts, [tag, hashes])
  }
}

const uniqueByConstraint: Readonly<Record<string, Conflict['unique']>> = {
  tag_name: 'tag.name',
  script_name: 'script.name',
  deployment_number: 'deployment.number',
  application_name: 'application.name',
  person_email: 'person.email',
  used_once: 'used',
}
const uniqueViolation = '23505'

/** Converts an error to one of the store's interface. */
export function throwStoreError(error: unknown): never {
  if (isAway(error) || isLockTimeout(error)) {
    const { message } = error as Error
    throw new Unwritable(`nothing was written to the database: ${message}`, { cause: error })
  }
  if (!(error instanceof DatabaseError) || error.code !== uniqueViolation) throw error
  throw new Conflict(uniqueByConstraint[error.constraint ?? ''] ?? 'other')
}

/**
 * Inserts the mark of a write, and deletes a few old ones. Waits for another run of the same write that is being
 * committed.
 */
const insertMark = `
  WITH old AS (
    DELETE FROM write_mark WHERE id IN (
      SELECT id FROM write_mark WHERE at < now() - interval '1 hour' ORDER BY at LIMIT 4 FOR UPDATE SKIP LOCKED))
  INSERT INTO write_mark (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET runs = write_mark.runs + 1 RETURNING runs`

function distinct(changes: readonly Change[]): Change[] {
  const byKey = new Map(changes.map((each) => [`${each.kind} ${each.id}`, each]))
  return [...byKey.values()]
}

/** Further writes in the transaction, after the changes. */
type AlsoWrite = (sql: Sql) => Promise<void>
type WriteContext = { schema: string; also: AlsoWrite | undefined }

async function writeAll(
  sql: Sql,
  changes: readonly StoreChange[],
  { schema, also }: WriteContext,
): Promise<number | undefined> {
  const announced: Change[] = []
  const partsBefore = await partsOfScripts(sql, changes)
  for (const each of changes) announced.push(...(await writeChange(sql, each)))
  await also?.(sql)
  await dropReplacedParts(sql, partsBefore)
  return announced.length > 0 ? appendChanges(sql, schema, distinct(announced)) : undefined
}

/** A number that is at least that of the last change in any earlier stored write. */
async function lastChange(sql: Sql): Promise<number | undefined> {
  const [row] = await sql<{ seq: number | null }>('SELECT max(seq) AS seq FROM change')
  return row?.seq ?? undefined
}

export type PostgresWrites = StoreWrites & { write(changes: readonly StoreChange[], also?: AlsoWrite): Promise<void> }

/**
 * Writes changes in one transaction. `acknowledged` resolves once other processes have applied a change of the change
 * feed. Throws CommitUnknown if the database stays away after a commit was sent. Closing waits for writes that are
 * being made.
 */
export function openWrites(
  database: Pick<Database, 'schema' | 'transaction'>,
  acknowledged: (seq: number) => Promise<void> = async () => {},
): PostgresWrites {
  const activity = openActivity()
  let isClosed = false

  async function write(changes: readonly StoreChange[], also: AlsoWrite | undefined): Promise<void> {
    const mark = randomUUID()
    const writeOnce = () =>
      database.transaction(async (sql) => {
        const [row] = await sql<{ runs: number }>(insertMark, [mark])
        // If the first run was stored, this run commits too, and so waits for the standbys as the first one should
        // have.
        return row!.runs > 1 ? lastChange(sql) : writeAll(sql, changes, { schema: database.schema, also })
      })
    const seq = await repeatUnknown(writeOnce).catch(throwStoreError)
    if (seq !== undefined) await acknowledged(seq)
    const droppedTags = changes.flatMap((each) => ('drop' in each && each.drop === 'tag' ? each.tagId : []))
    // The tag is gone, so the call succeeds. After an error, retention deletes the rest.
    for (const tagId of droppedTags) await deleteDroppedTag(database, tagId).catch(() => {})
  }
  return {
    async write(changes: readonly StoreChange[], also?: AlsoWrite) {
      if (isClosed) throw new Error('the store is closed')
      await activity.run(() => write(changes, also))
    },
    async close() {
      isClosed = true
      await activity.ended()
    },
  }
}
