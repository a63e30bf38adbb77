import { isDeepStrictEqual } from 'node:util'
import type { Statement } from '#kit/writeBatch.ts'
import type { Change } from '#postgres/appendChanges.ts'
import type { Sql } from '#postgres/database.ts'
import { deleteTagRows } from '#store/sql/controlStatements.ts'
import { insertDeployment, newPartRows } from '#store/sql/deploymentStatements.ts'
import { putScript } from '#store/sql/scriptStatements.ts'
import { createSharedStatements, type SharedChange } from '#store/sql/sharedChanges.ts'
import type { StoreChange } from '#store/store.ts'
import { postgresDialect } from './dialect.ts'
import { addDroppedTag } from './droppedTags.ts'
import { addReplay, dropPause, eraseEvents, eraseJoins, eraseUserDeliveries, stopReplay } from './journalChanges.ts'
import { putOrders, settleOrders } from './orderTables.ts'
import { runStatement } from './statements.ts'
import { dropUser, eraseUserProfile } from './userChanges.ts'

/** Writes a change, and returns what other processes must know of it. */
type WriteChange<Of extends StoreChange> = (sql: Sql, change: Of) => Promise<readonly Change[]>
type AddChange = Extract<StoreChange, { add: string }>
type PutChange = Extract<StoreChange, { put: string }>
type DropChange = Extract<StoreChange, { drop: string }>

const nothing: readonly Change[] = []

async function runAll(sql: Sql, statements: readonly Statement[]): Promise<readonly Change[]> {
  for (const each of statements) await runStatement(sql, each)
  return nothing
}

const sharedStatements = createSharedStatements(postgresDialect)
const runShared = (sql: Sql, change: SharedChange) => runAll(sql, sharedStatements(change))

const insertParts = `
  INSERT INTO snapshot_part (tag, hash, script, body)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) ON CONFLICT DO NOTHING`

/** The deployment is first: its row locks the tag, so that retention drops no part meanwhile. */
async function addDeployment(sql: Sql, change: Extract<AddChange, { add: 'deployment' }>): Promise<void> {
  await runStatement(sql, insertDeployment(change))
  const rows = newPartRows(change)
  const column = (n: number) => rows.map((row) => row[n]!)
  if (rows.length > 0) await sql(insertParts, [column(0), column(1), rows.map((row) => row[2]), column(3)])
}

const writeAdd: WriteChange<AddChange> = async (sql, change) => {
  switch (change.add) {
    case 'replay':
      await addReplay(sql, change)
      return nothing
    case 'deployment':
      await addDeployment(sql, change)
      return [{ kind: 'deployment', id: change.row.tagId }]
    case 'team':
      await runShared(sql, change)
      return [{ kind: 'teamKey', id: change.row.teamId }]
    default:
      return runShared(sql, change)
  }
}

/** The names of hosts as changes. */
const toHostChanges = (rows: readonly { name: string }[]): Change[] =>
  rows.map(({ name }) => ({ kind: 'hosts', id: name }))

const deleteOtherClaims = 'DELETE FROM host_claim WHERE tag = $1 AND name <> ALL ($2) RETURNING name'
const insertClaims = `
  INSERT INTO host_claim (tag, name, claimed_at) SELECT $1, name, $3 FROM unnest($2::text[]) AS name
  ON CONFLICT DO NOTHING RETURNING name`

const replaceHosts: WriteChange<Extract<PutChange, { put: 'hosts' }>> = async (sql, { tagId, hosts, at }) => {
  const sorted = [...new Set(hosts)].sort()
  const dropped = await sql<{ name: string }>(deleteOtherClaims, [tagId, sorted])
  const added = await sql<{ name: string }>(insertClaims, [tagId, sorted, at])
  return toHostChanges([...dropped, ...added])
}

/** What decides whether and how a host is served. A look-up that finds what the last one found changes none of it. */
const selectProof = `
  SELECT proved_since AS since, proved_at = checked_at AS current, is_missing AS missing
  FROM host_claim WHERE tag = $1 AND name = $2 FOR UPDATE`

const putClaim: WriteChange<Extract<PutChange, { put: 'hostClaim' }>> = async (sql, change) => {
  const key = [change.row.tagId, change.row.host]
  const before = await sql(selectProof, key)
  await runShared(sql, change)
  const after = await sql(selectProof, key)
  return isDeepStrictEqual(before, after) ? nothing : [{ kind: 'hosts', id: change.row.host }]
}

/** Retention drops no part of a tag that is locked. */
const lockTag = 'SELECT id FROM tag WHERE id = $1 FOR KEY SHARE'

async function writeScript(sql: Sql, { row }: Extract<PutChange, { put: 'script' }>): Promise<readonly Change[]> {
  await sql(lockTag, [row.tagId])
  return runAll(sql, putScript(row))
}

const writePut: WriteChange<PutChange> = async (sql, change) => {
  if (change.put === 'hosts') return replaceHosts(sql, change)
  if (change.put === 'orders') {
    await putOrders(sql, change)
    return nothing
  }
  if (change.put === 'hostClaim') return putClaim(sql, change)
  if (change.put === 'script') return writeScript(sql, change)
  await runShared(sql, change)
  switch (change.put) {
    case 'teamKey':
      return [{ kind: 'teamKey', id: change.teamId }]
    case 'sealingKey':
      return [{ kind: 'sealingKeys', id: '' }]
    case 'paused':
      return [{ kind: 'paused', id: change.scriptId }]
    case 'setting':
      return [{ kind: 'setting', id: change.name }]
    default:
      return nothing
  }
}

/** The rows of users and runs are deleted after this transaction: `deleteDroppedTag`. */
const dropTag: WriteChange<Extract<DropChange, { drop: 'tag' }>> = async (sql, { tagId }) => {
  const claims = await sql<{ name: string }>('SELECT name FROM host_claim WHERE tag = $1', [tagId])
  await runAll(sql, deleteTagRows(tagId))
  await sql('DELETE FROM last_delivery WHERE tag = $1', [tagId])
  await addDroppedTag(sql, tagId)
  await sql('DELETE FROM tag WHERE id = $1', [tagId])
  return [{ kind: 'tagDropped', id: tagId }, ...toHostChanges(claims)]
}

const writeDrop: WriteChange<DropChange> = async (sql, change) => {
  switch (change.drop) {
    case 'tag':
      return dropTag(sql, change)
    case 'user':
      await dropUser(sql, change)
      return nothing
    case 'script':
      await runShared(sql, change)
      return [{ kind: 'paused', id: change.scriptId }]
    case 'pause':
      await dropPause(sql, change)
      return [{ kind: 'pause', id: change.scriptId }]
    case 'sealingKey':
      await runShared(sql, change)
      return [{ kind: 'sealingKeys', id: '' }]
    default:
      return runShared(sql, change)
  }
}

const writeErase: WriteChange<Extract<StoreChange, { erase: string }>> = async (sql, change) => {
  switch (change.erase) {
    case 'user':
      await eraseUserDeliveries(sql, change)
      await eraseUserProfile(sql, change)
      return nothing
    case 'events':
      await eraseEvents(sql, change)
      return nothing
    case 'joins':
      await eraseJoins(sql, change)
      return nothing
    default:
      return runShared(sql, change)
  }
}

/** Writes a change of the store in a transaction. */
export const writeChange: WriteChange<StoreChange> = async (sql, change) => {
  if ('add' in change) return writeAdd(sql, change)
  if ('put' in change) return writePut(sql, change)
  if ('drop' in change) return writeDrop(sql, change)
  if ('erase' in change) return writeErase(sql, change)
  if ('stop' in change) {
    await stopReplay(sql, change)
    return nothing
  }
  if ('settle' in change) {
    await settleOrders(sql, change)
    return nothing
  }
  return runShared(sql, change)
}
