import { erasedUserId } from '#event/eraseEvents.ts'
import type { WriteUnit } from '#kit/writeBatch.ts'
import { createUserReads, readUser, userColumns } from '#store/sql/userReads.ts'
import type { StoreChange, UserStore } from '#store/store.ts'
import type { UserWrite } from '#store/users.ts'
import { reached } from './deliveryStatements.ts'
import { sqliteDialect } from './dialect.ts'
import { deleteCrowdedStatement, readEmailUsers, upsertUser } from './emailUsers.ts'
import { eventsBy } from './eventBuckets.ts'
import { foldedFirst } from './fold/foldedFirst.ts'
import type { JournalWriter } from './fold/journalWriter.ts'
import { openRecordedUsers } from './recordedUsers.ts'
import { addRefs, isDelivery, keyParams, selectRef } from './refs.ts'
import type { SqlReader } from './sqlReader.ts'

const selectUser = `SELECT ${userColumns} FROM tag_user WHERE tag = ${selectRef} AND id = ?`
const selectNextTag = `
  SELECT id FROM ref WHERE no = (SELECT min(tag) FROM tag_user WHERE tag > coalesce((SELECT no FROM ref WHERE id = ?), 0))`

function nextTag(read: SqlReader, after: string): string | undefined {
  const next = read.one(selectNextTag, after)?.id
  return next === undefined ? undefined : String(next)
}

export function createUserStore(read: SqlReader, writer: JournalWriter): UserStore {
  const recorded = openRecordedUsers()
  const { byCustom, unseen, usersAfter } = createUserReads(read, sqliteDialect)
  const stored = (tagId: string, userId: string) => {
    const row = read.one(selectUser, tagId, userId)
    return row && readUser(row, tagId)
  }
  const find = (tagId: string, userId: string) => recorded.get(tagId, userId) ?? stored(tagId, userId)

  /** Returns true if the stored version is the one that the write is based on. The write then counts as made. */
  function take(write: UserWrite): boolean {
    const { user, basedOn } = write
    const version = find(user.tagId, user.userId)?.version ?? 0
    if (basedOn !== undefined && basedOn !== version) return false
    recorded.put(write, version + 1)
    return true
  }
  async function record(writes: readonly UserWrite[]): Promise<void> {
    const forget = () => recorded.forget(writes)
    const { folded } = await writer.record({ users: writes }).catch((error) => {
      forget()
      throw error
    })
    void folded.then(forget)
  }
  const foldIfNamed = async (isNamed: boolean) => (isNamed ? writer.fold() : undefined)

  return {
    get: async (tagId, userId) => find(tagId, userId),
    async getMany(tagId, userIds) {
      const users = userIds.flatMap((userId) => find(tagId, userId) ?? [])
      return new Map(users.map((user) => [user.userId, user]))
    },
    async byEmail(tagId, email) {
      await foldIfNamed(recorded.hasEmail(email))
      return readEmailUsers(read, tagId, email)
    },
    async byEmails(tagId, emails) {
      await foldIfNamed(emails.some(recorded.hasEmail))
      return emails.map((email) => readEmailUsers(read, tagId, email))
    },
    async byCustom(...args) {
      await foldIfNamed(recorded.hasCustoms())
      return byCustom(...args)
    },
    async put(writes) {
      const taken = writes.map(take)
      const accepted = writes.filter((_, at) => taken[at])
      if (accepted.length > 0) await record(accepted)
      return taken
    },
    deleteCrowded: (seenBefore) => writer.write([deleteCrowdedStatement(seenBefore)]),
    async nextTag(after) {
      if (after === '') await writer.fold()
      return nextTag(read, after)
    },
    unseen,
    usersAfter: foldedFirst(writer)(usersAfter),
  }
}

const deleteFingerprints = (
  table: 'email_user' | 'custom_user',
) => `DELETE FROM ${table} INDEXED BY ${table}_user WHERE tag = ${selectRef} AND user_id = ?
  AND NOT EXISTS (SELECT 1 FROM tag_user WHERE tag_user.tag = ${table}.tag AND tag_user.id = ${table}.user_id)`

/** Does not delete a user who was seen after `seenAt`. */
export const deleteUser = ({ tagId, userId, seenAt }: Extract<StoreChange, { drop: 'user' }>): WriteUnit => [
  { sql: `DELETE FROM tag_user WHERE tag = ${selectRef} AND id = ? AND seen_at <= ?`, rows: [[tagId, userId, seenAt]] },
  { sql: deleteFingerprints('email_user'), rows: [[tagId, userId]] },
  { sql: deleteFingerprints('custom_user'), rows: [[tagId, userId]] },
]

/** `?1` is the tag, `?2` the user. The index is named because SQLite would otherwise read all events of the tag. */
const tag = '(SELECT no FROM ref WHERE id = ?1)'
const events = `
  SELECT tag, position, idx FROM ${eventsBy('user')} WHERE tag = ${tag} AND user = ?2 UNION ALL
  SELECT tag, position, idx FROM ${eventsBy('joined')} WHERE tag = ${tag} AND joined = ?2`

const eraseUserStatements = [
  `UPDATE delivery SET status = 'dead', reason = 'erased', next_at = NULL
    WHERE status IN ('pending', 'held') AND (position, idx) IN (SELECT position, idx FROM (${events}))
    RETURNING ${reached}`,
  `DELETE FROM held WHERE tag = ${tag} AND position IN (SELECT position FROM (${events}))
    AND (position, idx) IN (SELECT position, idx FROM (${events}))`,
  `DELETE FROM email_user INDEXED BY email_user_user WHERE tag = ${tag} AND user_id = ?2`,
  `DELETE FROM custom_user WHERE tag = ${tag} AND user_id = ?2`,
]

export const eraseUser = ({ tagId, userId, at }: Extract<StoreChange, { erase: 'user' }>): WriteUnit => [
  addRefs([tagId]),
  ...eraseUserStatements.map((sql) => ({ sql, rows: [[tagId, userId]] })),
  { sql: upsertUser, rows: [[tagId, userId, new Uint8Array(), at]] },
]

const disownEvent = `UPDATE event SET user = ?, joined = NULL, order_hash = NULL WHERE tag = ${selectRef} AND position = ? AND idx = ?`

/** A vendor's message may repeat user data that it received. */
const deleteMessages = 'UPDATE attempt SET message = NULL WHERE message IS NOT NULL AND position = ? AND idx = ?'

export const eraseEvents = ({ events }: Extract<StoreChange, { erase: 'events' }>): WriteUnit => [
  { sql: deleteMessages, rows: events.map(({ position, index }) => [position, index]) },
  { sql: disownEvent, rows: events.map(({ tagId, position, index }) => [erasedUserId, tagId, position, index]) },
]

const deleteJoin = `UPDATE attempt SET joined = ?, message = NULL WHERE ${isDelivery()} AND number = ?`

export const eraseJoins = ({ joins }: Extract<StoreChange, { erase: 'joins' }>): WriteUnit => [
  { sql: deleteJoin, rows: joins.map(({ deliveryId, number }) => [erasedUserId, ...keyParams(deliveryId), number]) },
]
