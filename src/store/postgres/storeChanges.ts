import { isDeepStrictEqual } from 'node:util'
import type { Change } from '#postgres/appendChanges.ts'
import type { Sql } from '#postgres/database.ts'
import { deleteTagRows } from '#store/sql/controlStatements.ts'
import { putScript } from '#store/sql/scriptStatements.ts'
import { createSharedStatements, type SharedChange } from '#store/sql/sharedChanges.ts'
import type { StoreChange } from '#store/store.ts'
import { postgresDialect } from './dialect.ts'
import { addDroppedTag } from './droppedTags.ts'
import { addReplay, eraseEvents, eraseJoins, eraseUserDeliveries } from './journalChanges.ts'
import { takeMissed } from './orderTables.ts'
import { runStatements } from './statements.ts'
import { dropUser, eraseUserProfile } from './userChanges.ts'

type PutChange<Noun extends string> = Extract<StoreChange, { put: Noun }>

const sharedStatements = createSharedStatements(postgresDialect)
const writeShared = (sql: Sql, change: SharedChange) => runStatements(sql, sharedStatements(change))

/** The names of hosts as changes. */
const toHostChanges = (rows: readonly { name: string }[]): Change[] =>
  rows.map(({ name }) => ({ kind: 'hosts', id: name }))

const deleteOtherClaims = 'DELETE FROM host_claim WHERE tag = $1 AND name <> ALL ($2) RETURNING name'
const insertClaims = `
  INSERT INTO host_claim (tag, name, claimed_at) SELECT $1, name, $3 FROM unnest($2::text[]) AS name
  ON CONFLICT DO NOTHING RETURNING name`

async function replaceHosts(sql: Sql, { tagId, hosts, at }: PutChange<'hosts'>): Promise<Change[]> {
  const sorted = [...new Set(hosts)].sort()
  const dropped = await sql<{ name: string }>(deleteOtherClaims, [tagId, sorted])
  const added = await sql<{ name: string }>(insertClaims, [tagId, sorted, at])
  return toHostChanges([...dropped, ...added])
}

/** The fields that decide whether and how a host is served. A lookup with the same result as the last changes none. */
const selectProof = `
  SELECT proved_since AS since, proved_at = checked_at AS current, is_missing AS missing
  FROM host_claim WHERE tag = $1 AND name = $2 FOR UPDATE`

async function putClaim(sql: Sql, change: PutChange<'hostClaim'>): Promise<Change[]> {
  const key = [change.row.tagId, change.row.host]
  const before = await sql(selectProof, key)
  await writeShared(sql, change)
  const after = await sql(selectProof, key)
  return isDeepStrictEqual(before, after) ? [] : [{ kind: 'hosts', id: change.row.host }]
}

/** The rows of users and runs are deleted after this transaction: `deleteDroppedTag`. */
async function dropTag(sql: Sql, { tagId }: Extract<StoreChange, { drop: 'tag' }>): Promise<Change[]> {
  const claims = await sql<{ name: string }>('SELECT name FROM host_claim WHERE tag = $1', [tagId])
  await runStatements(sql, deleteTagRows(tagId))
  await sql('DELETE FROM last_delivery WHERE tag = $1', [tagId])
  await addDroppedTag(sql, tagId)
  await sql('DELETE FROM tag WHERE id = $1', [tagId])
  return [{ kind: 'tagDropped', id: tagId }, ...toHostChanges(claims)]
}

/** Retention drops no part of a tag that is locked. */
const lockTag = 'SELECT id FROM tag WHERE id = $1 FOR KEY SHARE'

async function writeScript(sql: Sql, { row }: PutChange<'script'>): Promise<void> {
  await sql(lockTag, [row.tagId])
  await runStatements(sql, putScript(row))
}

type OtherChange = Exclude<StoreChange, PutChange<'hosts' | 'hostClaim'> | { drop: 'tag' }>

async function write(sql: Sql, change: OtherChange): Promise<void> {
  if ('settle' in change) await takeMissed(sql, change.tagId)
  if ('add' in change && change.add === 'replay') return addReplay(sql, change)
  if ('put' in change && change.put === 'script') return writeScript(sql, change)
  if ('drop' in change && change.drop === 'user') return dropUser(sql, change)
  if ('erase' in change && change.erase === 'events') return eraseEvents(sql, change)
  if ('erase' in change && change.erase === 'joins') return eraseJoins(sql, change)
  if (!('erase' in change && change.erase === 'user')) return writeShared(sql, change)
  await eraseUserDeliveries(sql, change)
  await eraseUserProfile(sql, change)
}

/** The part of a change that other processes must know. */
function announcedBy(change: OtherChange): Change[] {
  if ('add' in change && change.add === 'deployment') return [{ kind: 'deployment', id: change.row.tagId }]
  if ('add' in change && change.add === 'team') return [{ kind: 'teamKey', id: change.row.teamId }]
  if ('put' in change && change.put === 'teamKey') return [{ kind: 'teamKey', id: change.teamId }]
  if ('put' in change && change.put === 'paused') return [{ kind: 'paused', id: change.scriptId }]
  if ('put' in change && change.put === 'setting') return [{ kind: 'setting', id: change.name }]
  if ('put' in change) return change.put === 'sealingKey' ? [{ kind: 'sealingKeys', id: '' }] : []
  if ('drop' in change && change.drop === 'sealingKey') return [{ kind: 'sealingKeys', id: '' }]
  if ('drop' in change && change.drop === 'script') return [{ kind: 'paused', id: change.scriptId }]
  return 'drop' in change && change.drop === 'pause' ? [{ kind: 'pause', id: change.scriptId }] : []
}

/** Writes a change of the store in a transaction, and returns the part that other processes must know. */
export async function writeChange(sql: Sql, change: StoreChange): Promise<Change[]> {
  if ('put' in change && change.put === 'hosts') return replaceHosts(sql, change)
  if ('put' in change && change.put === 'hostClaim') return putClaim(sql, change)
  if ('drop' in change && change.drop === 'tag') return dropTag(sql, change)
  await write(sql, change)
  return announcedBy(change)
}
