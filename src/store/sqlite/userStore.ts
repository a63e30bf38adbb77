import { erasedUserId } from '#event/eraseEvents.ts'
import type { WriteUnit } from '#kit/writeBatch.ts'
import { NotUnique, type Writer } from '#kit/writer.ts'
import { withoutNulls } from '#store/sql/rowMappings.ts'
import type { StoreChange, StoredUser, UserStore } from '#store/store.ts'
import type { UserWrite } from '#store/users.ts'
import { emailStatements, readEmailUsers, uncrowdStatement } from './emailUsers.ts'
import { storePlannedStatements } from './plannedDeliveries.ts'
import { addRefs, selectRef } from './refs.ts'
import type { SqlReader } from './sqlReader.ts'

const selectUser = `SELECT sealed, seen_at, version FROM user WHERE tag = ${selectRef} AND id = ?`
const selectByCustom = `SELECT user FROM custom WHERE tag = ${selectRef} AND fingerprint = ? ORDER BY user LIMIT ?`

const insertUser = `INSERT INTO user (tag, id, sealed, seen_at, version) VALUES (${selectRef}, ?, ?, ?, 1)`
const upsertUser = `${insertUser}
  ON CONFLICT (tag, id) DO UPDATE SET sealed = excluded.sealed, seen_at = excluded.seen_at, version = version + 1`
const updateUser = `UPDATE user SET sealed = ?, seen_at = ?, version = version + 1
  WHERE tag = ${selectRef} AND id = ? AND version = ?`
/** Fails, and so rolls back its unit, if the update before it changed no row: a version may not be null. */
const requireUpdate = `INSERT INTO user (tag, id, sealed, seen_at, version)
  SELECT ${selectRef}, ?, x'', 0, NULL WHERE changes() = 0`
const deleteCustoms = `DELETE FROM custom WHERE tag = ${selectRef} AND user = ?`
const insertCustom = `INSERT INTO custom (tag, fingerprint, user) VALUES (${selectRef}, ?, ?) ON CONFLICT DO NOTHING`

const selectUnseen = `
  SELECT ref.id AS tag_id, user.id AS user_id, seen_at FROM (
    SELECT * FROM user WHERE seen_at < ?1 UNION ALL
    SELECT * FROM user WHERE length(sealed) = 0 AND seen_at >= ?1 AND seen_at < ?2
  ) AS user JOIN ref ON ref.no = user.tag LIMIT ?3`

function userStatements({ user, basedOn }: UserWrite): WriteUnit {
  const { tagId, userId, sealed, seenAt } = user
  if (!basedOn) return [{ sql: basedOn === 0 ? insertUser : upsertUser, rows: [[tagId, userId, sealed, seenAt]] }]
  return [
    { sql: updateUser, rows: [[sealed, seenAt, tagId, userId, basedOn]] },
    { sql: requireUpdate, rows: [[tagId, userId]] },
  ]
}

function writeUnit(write: UserWrite): WriteUnit {
  const { user, lookupKeys = {} } = write
  const { tagId, userId } = user
  const { customs } = lookupKeys
  const customStatements = customs && [
    { sql: deleteCustoms, rows: [[tagId, userId]] },
    { sql: insertCustom, rows: customs.map((custom) => [tagId, custom, userId]) },
  ]
  return [addRefs([tagId]), ...userStatements(write), ...emailStatements(user, lookupKeys), ...(customStatements ?? [])]
}

/** The write failed because of the version of its user. */
const isStale = (error: unknown) =>
  error instanceof NotUnique
    ? error.columns === 'user.tag, user.id'
    : error instanceof Error && error.message.endsWith('NOT NULL constraint failed: user.version')

function readUser(read: SqlReader, tagId: string, userId: string): StoredUser | undefined {
  const row = read.one(selectUser, tagId, userId)
  return (
    row && withoutNulls<StoredUser>({ tagId, userId, sealed: row.sealed, seenAt: row.seen_at, version: row.version })
  )
}

export const createUserStore = (read: SqlReader, writer: Writer): UserStore => ({
  get: async (tagId, userId) => readUser(read, tagId, userId),
  async getMany(tagId, userIds) {
    const users = userIds.flatMap((userId) => readUser(read, tagId, userId) ?? [])
    return new Map(users.map((user) => [user.userId, user]))
  },
  byEmail: async (tagId, email) => readEmailUsers(read, tagId, email),
  byEmails: async (tagId, emails) => emails.map((email) => readEmailUsers(read, tagId, email)),
  byCustom: async (tagId, custom, limit) =>
    read.all(selectByCustom, tagId, custom, limit).map(({ user }) => String(user)),
  put: (writes) =>
    Promise.all(
      writes.map(async (write) => {
        try {
          await writer.write(writeUnit(write))
          return true
        } catch (error) {
          if (isStale(error)) return false
          throw error
        }
      }),
    ),
  uncrowd: (seenBefore) => writer.write([uncrowdStatement(seenBefore)]),
  unseen: async ({ seenBefore, erasedBefore }, limit) =>
    read.all(selectUnseen, seenBefore, erasedBefore, limit).map((row) =>
      withoutNulls<Omit<StoredUser, 'sealed' | 'version'>>({
        tagId: row.tag_id,
        userId: row.user_id,
        seenAt: row.seen_at,
      }),
    ),
})

const deleteFingerprints = (
  table: 'email_user' | 'custom',
) => `DELETE FROM ${table} WHERE tag = ${selectRef} AND user = ?
  AND NOT EXISTS (SELECT 1 FROM user WHERE user.tag = ${table}.tag AND user.id = ${table}.user)`

/** Keeps a user who was seen after `seenAt`, with their e-mails and custom values. */
export const deleteUser = ({ tagId, userId, seenAt }: Extract<StoreChange, { drop: 'user' }>): WriteUnit => [
  { sql: `DELETE FROM user WHERE tag = ${selectRef} AND id = ? AND seen_at <= ?`, rows: [[tagId, userId, seenAt]] },
  { sql: deleteFingerprints('email_user'), rows: [[tagId, userId]] },
  { sql: deleteFingerprints('custom'), rows: [[tagId, userId]] },
]

/** `?1` is the tag, `?2` the user. The index is named, because SQLite would otherwise read all events of the tag. */
const tag = '(SELECT no FROM ref WHERE id = ?1)'
const events = `
  SELECT tag, position, idx FROM event INDEXED BY event_user WHERE tag = ${tag} AND user = ?2 UNION ALL
  SELECT tag, position, idx FROM event INDEXED BY event_joined WHERE tag = ${tag} AND joined = ?2`

const eraseUserStatements = [
  `UPDATE delivery SET status = 'dead', reason = 'erased', next_at = NULL
    WHERE status IN ('pending', 'held') AND no IN (
      SELECT delivery.no FROM (${events}) AS event CROSS JOIN delivery
      ON delivery.position = event.position AND delivery.idx = event.idx
    )`,
  `DELETE FROM held WHERE tag = ${tag} AND position IN (SELECT position FROM (${events}))
    AND (position, idx) IN (SELECT position, idx FROM (${events}))`,
  `DELETE FROM email_user WHERE tag = ${tag} AND user = ?2`,
  `DELETE FROM custom WHERE tag = ${tag} AND user = ?2`,
]

export const eraseUser = ({ tagId, userId, at }: Extract<StoreChange, { erase: 'user' }>): WriteUnit => [
  addRefs([tagId]),
  ...storePlannedStatements(),
  ...eraseUserStatements.map((sql) => ({ sql, rows: [[tagId, userId]] })),
  { sql: upsertUser, rows: [[tagId, userId, new Uint8Array(), at]] },
]

const disownEvent = `UPDATE event SET user = ?, joined = NULL WHERE tag = ${selectRef} AND position = ? AND idx = ?`

export const eraseEvents = ({ events }: Extract<StoreChange, { erase: 'events' }>): WriteUnit => [
  { sql: disownEvent, rows: events.map(({ tagId, position, index }) => [erasedUserId, tagId, position, index]) },
]

const deleteJoin =
  'UPDATE attempt SET joined = ? WHERE delivery = (SELECT no FROM delivery WHERE id = ?) AND number = ?'

export const eraseJoins = ({ joins }: Extract<StoreChange, { erase: 'joins' }>): WriteUnit => [
  { sql: deleteJoin, rows: joins.map(({ deliveryId, number }) => [erasedUserId, deliveryId, number]) },
]
