import { isDeepStrictEqual } from 'node:util'
import type { Change } from '#postgres/appendChanges.ts'
import type { Sql } from '#postgres/database.ts'
import { type ChangeTable, lookUp, type StoreChangeName } from '#store/sql/changeTable.ts'
import { putScript } from '#store/sql/scriptStatements.ts'
import { createSharedStatements, deleteTagRows, type OwnChangeName } from '#store/sql/sharedChanges.ts'
import type { StoreChange } from '#store/store.ts'
import { postgresDialect } from './dialect.ts'
import { addDroppedTag } from './droppedTags.ts'
import { addReplay, eraseEvents, eraseJoins, eraseUserDeliveries } from './journalChanges.ts'
import { takeMissed } from './orderTables.ts'
import { runStatements } from './statements.ts'
import { dropUser, eraseUserProfile } from './userChanges.ts'

type PutChange<Noun extends string> = Extract<StoreChange, { put: Noun }>

const shared = createSharedStatements(postgresDialect)

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

/** The fields that decide whether and how a host is served. A lookup with the same result changes none of them. */
const selectProof = `
  SELECT proved_since AS since, proved_at = checked_at AS current, is_missing AS missing
  FROM host_claim WHERE tag = $1 AND name = $2 FOR UPDATE`

async function putClaim(sql: Sql, change: PutChange<'hostClaim'>): Promise<Change[]> {
  const key = [change.row.tagId, change.row.host]
  const before = await sql(selectProof, key)
  await runStatements(sql, shared['put hostClaim'](change))
  const after = await sql(selectProof, key)
  return isDeepStrictEqual(before, after) ? [] : [{ kind: 'hosts', id: change.row.host }]
}

/** `deleteDroppedTag` deletes the rows of users and runs after this transaction. */
async function dropTag(sql: Sql, { tagId }: Extract<StoreChange, { drop: 'tag' }>): Promise<Change[]> {
  const claims = await sql<{ name: string }>('SELECT name FROM host_claim WHERE tag = $1', [tagId])
  await runStatements(sql, deleteTagRows(tagId))
  await sql('DELETE FROM last_delivery WHERE tag = $1', [tagId])
  await addDroppedTag(sql, tagId)
  await sql('DELETE FROM tag WHERE id = $1', [tagId])
  return [{ kind: 'tagDropped', id: tagId }, ...toHostChanges(claims)]
}

/** Retention drops no part of a locked tag. */
const lockTag = 'SELECT id FROM tag WHERE id = $1 FOR KEY SHARE'

async function writeScript(sql: Sql, { row }: PutChange<'script'>): Promise<void> {
  await sql(lockTag, [row.tagId])
  await runStatements(sql, putScript(row))
}

type WriteOf<Written, Name extends StoreChangeName> = Pick<
  ChangeTable<StoreChange, (sql: Sql) => Promise<Written>>,
  Name
>

/** Changes that find out what other processes must know. */
const announcing: WriteOf<Change[], 'put hosts' | 'put hostClaim' | 'drop tag'> = {
  'put hosts': (change) => (sql) => replaceHosts(sql, change),
  'put hostClaim': (change) => (sql) => putClaim(sql, change),
  'drop tag': (change) => (sql) => dropTag(sql, change),
}

const own: WriteOf<void, Exclude<OwnChangeName, keyof typeof announcing> | 'settle orders'> = {
  'add replay': (change) => (sql) => addReplay(sql, change),
  'put script': (change) => (sql) => writeScript(sql, change),
  'drop user': (change) => (sql) => dropUser(sql, change),
  'erase events': (change) => (sql) => eraseEvents(sql, change),
  'erase joins': (change) => (sql) => eraseJoins(sql, change),
  'erase user': (change) => async (sql) => {
    await eraseUserDeliveries(sql, change)
    await eraseUserProfile(sql, change)
  },
  'settle orders': (change) => async (sql) => {
    await takeMissed(sql, change.tagId)
    await runStatements(sql, shared['settle orders'](change))
  },
}

/** The part of a change that other processes must know. */
const announced: Partial<ChangeTable<StoreChange, Change>> = {
  'add deployment': ({ row }) => ({ kind: 'deployment', id: row.tagId }),
  'add team': ({ row }) => ({ kind: 'teamKey', id: row.teamId }),
  'put teamKey': ({ teamId }) => ({ kind: 'teamKey', id: teamId }),
  'put paused': ({ scriptId }) => ({ kind: 'paused', id: scriptId }),
  'put setting': ({ name }) => ({ kind: 'setting', id: name }),
  'put sealingKey': () => ({ kind: 'sealingKeys', id: '' }),
  'drop sealingKey': () => ({ kind: 'sealingKeys', id: '' }),
  'drop script': ({ scriptId }) => ({ kind: 'paused', id: scriptId }),
  'drop pause': ({ scriptId }) => ({ kind: 'pause', id: scriptId }),
}

/** Writes a change in a transaction, and returns what other processes must know of it. */
export async function writeChange(sql: Sql, change: StoreChange): Promise<Change[]> {
  const announce = lookUp(announcing, change)
  if (announce) return announce(sql)
  const write = lookUp(own, change) ?? ((each) => runStatements(each, lookUp(shared, change)!))
  await write(sql)
  const known = lookUp(announced, change)
  return known ? [known] : []
}
