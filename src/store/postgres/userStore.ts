import { toBinaryFields } from '#postgres/binaryArrays.ts'
import type { Database, Sql } from '#postgres/database.ts'
import { createUserReads, readUser, userColumns } from '#store/sql/userReads.ts'
import type { StoredUser, UserStore, UserWrite } from '#store/users.ts'
import { compareText } from './columns.ts'
import { postgresDialect } from './dialect.ts'
import { readEmailUsers, writeEmails } from './emailUsers.ts'
import { createReads } from './statements.ts'

const selectUsers = `SELECT ${userColumns} FROM tag_user WHERE tag = $1 AND id = ANY($2::text[])`
const selectNextTag = 'SELECT min(tag) AS tag FROM tag_user WHERE tag > $1'
const deleteCrowded = 'DELETE FROM email_user WHERE kind = 2 AND seen_at < $1'

async function readUsers(sql: Sql, tagId: string, userIds: readonly string[]): Promise<StoredUser[]> {
  if (userIds.length === 0) return []
  return (await sql(selectUsers, [tagId, userIds])).map((row) => readUser(row, tagId))
}

/**
 * The users are sorted, so that concurrent batches with the same users wait instead of deadlocking. Each user is a
 * lateral read, because a plan that was made while the table was small would join the lists row by row.
 */
const lockVersions = `
  SELECT found.* FROM unnest($1::text[], $2::text[]) AS wanted (tag, id) CROSS JOIN LATERAL (
    SELECT tag, id, version FROM tag_user WHERE tag_user.tag = wanted.tag AND tag_user.id = wanted.id FOR UPDATE
  ) AS found`
const userArrays = 'unnest($1::text[], $2::text[], $3::bytea[], $4::bigint[], $5::bigint[])'
const insertUsers = `
  INSERT INTO tag_user (tag, id, sealed, seen_at, version) SELECT * FROM ${userArrays} ORDER BY 1, 2
  ON CONFLICT DO NOTHING RETURNING id`
/** Only for users whose rows are locked. */
const updateUsers = `
  INSERT INTO tag_user (tag, id, sealed, seen_at, version) SELECT * FROM ${userArrays}
  ON CONFLICT (tag, id) DO UPDATE SET sealed = excluded.sealed, seen_at = excluded.seen_at, version = excluded.version`

/** Another transaction inserted one of the new users first. */
class InsertRace extends Error {
  override name = 'InsertRace'
}

const keyOf = ({ tagId, userId }: Pick<StoredUser, 'tagId' | 'userId'>) => `${tagId} ${userId}`

/** The last stored write of each user in a batch, and whether each write is stored. */
function decideWrites(writes: readonly UserWrite[], versions: ReadonlyMap<string, number>) {
  const users = new Map<string, StoredUser>()
  const stored = writes.map(({ user, basedOn }) => {
    const key = keyOf(user)
    const version = users.get(key)?.version ?? versions.get(key) ?? 0
    if (basedOn !== undefined && basedOn !== version) return false
    users.set(key, { ...user, version: version + 1 })
    return true
  })
  return { users: [...users.values()], stored }
}

const idTypes = { tagId: 'text', userId: 'text' } as const
const userTypes = { ...idTypes, sealed: 'bytea', seenAt: 'int8', version: 'int8' } as const

/** Returns whether each write is stored. Throws InsertRace. */
async function writeUsers(sql: Sql, writes: readonly UserWrite[]): Promise<boolean[]> {
  const byKey = new Map(writes.map(({ user }) => [keyOf(user), user]))
  const refs = [...byKey].sort(([one], [other]) => compareText(one, other)).map(([, user]) => user)
  const rows = await sql<{ tag: string; id: string; version: number }>(lockVersions, toBinaryFields(refs, idTypes))
  const versions = new Map(rows.map(({ tag, id, version }) => [keyOf({ tagId: tag, userId: id }), version]))
  const { users, stored } = decideWrites(writes, versions)
  const [known, added] = [true, false].map((wanted) => users.filter((user) => versions.has(keyOf(user)) === wanted))
  if (added!.length > 0) {
    const inserted = await sql(insertUsers, toBinaryFields(added!, userTypes))
    if (inserted.length < added!.length) throw new InsertRace('a new user was inserted by another transaction')
  }
  if (known!.length > 0) await sql(updateUsers, toBinaryFields(known!, userTypes))
  return stored
}

const deleteCustoms = `
  DELETE FROM custom_user WHERE ctid = ANY (ARRAY(
    SELECT old.ctid FROM unnest($1::text[], $2::text[]) AS changed (tag, user_id) CROSS JOIN LATERAL (
      SELECT ctid, tag, user_id, fingerprint FROM custom_user
      WHERE custom_user.tag = changed.tag AND custom_user.user_id = changed.user_id OFFSET 0
    ) AS old WHERE NOT EXISTS (
      SELECT 1 FROM unnest($3::text[], $4::bytea[], $5::text[]) AS given (tag, fingerprint, user_id)
      WHERE given.tag = old.tag AND given.fingerprint = old.fingerprint AND given.user_id = old.user_id)))`
const insertCustoms = `
  INSERT INTO custom_user (tag, fingerprint, user_id)
  SELECT * FROM unnest($1::text[], $2::bytea[], $3::text[]) ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING`

/** Writes removed and new custom values of users whose rows are locked. The last write of a user wins. */
async function writeCustoms(sql: Sql, writes: readonly UserWrite[]): Promise<void> {
  const withCustoms = writes.filter(({ lookupKeys }) => lookupKeys?.customs)
  const changed = [...new Map(withCustoms.map((write) => [keyOf(write.user), write])).values()]
  if (changed.length === 0) return
  const rows = changed.flatMap(({ user: { tagId, userId }, lookupKeys }) =>
    lookupKeys!.customs!.map((custom) => ({ tagId, custom, userId })),
  )
  const given = toBinaryFields(rows, { tagId: 'text', custom: 'bytea', userId: 'text' })
  const users = changed.map(({ user }) => user)
  await sql(deleteCustoms, [...toBinaryFields(users, idTypes), ...given])
  if (rows.length > 0) await sql(insertCustoms, given)
}

/** Writes a batch in one transaction of a few statements. Throws InsertRace. */
const putBatch = (database: Database, writes: readonly UserWrite[]): Promise<boolean[]> =>
  database.transaction(async (sql) => {
    const stored = await writeUsers(sql, writes)
    const storedWrites = writes.filter((_, n) => stored[n])
    await writeEmails(sql, storedWrites)
    await writeCustoms(sql, storedWrites)
    return stored
  })

/** A batch that lost the race for a new user is written again, and then finds that user. */
async function put(database: Database, writes: readonly UserWrite[]): Promise<boolean[]> {
  if (writes.length === 0) return []
  for (;;)
    try {
      return await putBatch(database, writes)
    } catch (error) {
      if (!(error instanceof InsertRace)) throw error
    }
}

export function createUserStore(database: Database): UserStore {
  const { sql } = database
  return {
    ...createUserReads(createReads(sql), postgresDialect),
    get: async (tagId, userId) => (await readUsers(sql, tagId, [userId]))[0],
    getMany: async (tagId, userIds) =>
      new Map((await readUsers(sql, tagId, userIds)).map((user) => [user.userId, user])),
    byEmail: async (tagId, email) => (await readEmailUsers(sql, tagId, [email]))[0]!,
    byEmails: (tagId, emails) => readEmailUsers(sql, tagId, emails),
    put: (writes) => put(database, writes),
    async nextTag(after) {
      const [next] = await sql<{ tag: string | null }>(selectNextTag, [after])
      return next?.tag ?? undefined
    },
    async deleteCrowded(seenBefore) {
      await database.transaction((each) => each(deleteCrowded, [seenBefore]))
    },
  }
}
