import type { Statement, WriteUnit } from '#kit/writeBatch.ts'
import { emailKinds as kinds, overallConsentNumbers, readEmailRows } from '#store/sql/emailRows.ts'
import { type EmailUsers, maxClaims, type StoredUser, type UserLookupKeys, type UserWrite } from '#store/users.ts'
import { addRefs, selectRef } from './refs.ts'
import type { SqlReader } from './sqlReader.ts'

/** `?1` is the tag, `?2` the e-mail. */
const tag = '(SELECT no FROM ref WHERE id = ?1)'
const emailCondition = (kind: keyof typeof kinds) => `tag = ${tag} AND fingerprint = ?2 AND kind = ${kinds[kind]}`
const isCrowded = `EXISTS (SELECT 1 FROM email_user WHERE ${emailCondition('crowded')})`

const insertClaim = `INSERT INTO email_user (tag, fingerprint, kind, user_id, overall_consent, seen_at)
  SELECT ${tag}, ?2, ${kinds.claim}, ?3, ?4, ?5 WHERE NOT ${isCrowded}
  ON CONFLICT DO UPDATE SET overall_consent = excluded.overall_consent, seen_at = excluded.seen_at`
/** Marks an e-mail as crowded if too many of its claimants refuse, and renews the mark at each further claim. */
const insertCrowded = `INSERT INTO email_user (tag, fingerprint, kind, user_id, overall_consent, seen_at)
  SELECT ${tag}, ?2, ${kinds.crowded}, '', ${overallConsentNumbers.refuses}, ?3 WHERE ${isCrowded} OR ${maxClaims} < (
    SELECT count(*) FROM email_user WHERE ${emailCondition('claim')} AND overall_consent = ${overallConsentNumbers.refuses})
  ON CONFLICT DO UPDATE SET seen_at = max(seen_at, excluded.seen_at)`
const trimClaims = `DELETE FROM email_user WHERE ${emailCondition('claim')} AND (${isCrowded} OR user_id IN (
  SELECT user_id FROM email_user WHERE ${emailCondition('claim')} AND overall_consent <> ${overallConsentNumbers.refuses}
  ORDER BY overall_consent DESC, seen_at DESC, user_id LIMIT -1 OFFSET ${maxClaims}))`
const insertConfirmed = `INSERT INTO email_user (tag, fingerprint, kind, user_id, overall_consent, seen_at)
  SELECT ${tag}, ?2, ${kinds.confirmed}, ?3, 0, ?4
  WHERE NOT EXISTS (SELECT 1 FROM email_user WHERE ${emailCondition('confirmed')})`

/** Updates the e-mails of a user. */
function emailStatements({ tagId, userId, seenAt }: UserWrite['user'], lookupKeys: UserLookupKeys): WriteUnit {
  const { claims = [], confirmed = [], overallConsent = 'unasked' } = lookupKeys
  const each = (sql: string, rest: (number | string)[]): Statement => ({
    sql,
    rows: claims.map((email) => [tagId, email, ...rest]),
  })
  return [
    ...(lookupKeys.isUnnamed ? [deleteEmailsStatement({ tagId, userId })] : []),
    each(insertClaim, [userId, overallConsentNumbers[overallConsent], seenAt]),
    each(insertCrowded, [seenAt]),
    each(trimClaims, []),
    { sql: insertConfirmed, rows: confirmed.map((email) => [tagId, email, userId, seenAt]) },
  ]
}

/** Removes all e-mails of a user. The index is named because SQLite would otherwise read all e-mails of the tag. */
const deleteEmailsStatement = ({ tagId, userId }: Pick<StoredUser, 'tagId' | 'userId'>): Statement => ({
  sql: `DELETE FROM email_user INDEXED BY email_user_user WHERE tag = ${selectRef} AND user_id = ?`,
  rows: [[tagId, userId]],
})

export const deleteCrowdedStatement = (seenBefore: number): Statement => ({
  sql: `DELETE FROM email_user WHERE kind = ${kinds.crowded} AND seen_at < ?`,
  rows: [[seenBefore]],
})

const selectByEmail = `SELECT kind, user_id FROM email_user WHERE tag = ${selectRef} AND fingerprint = ? ORDER BY seen_at DESC, user_id`

export const readEmailUsers = (read: SqlReader, tagId: string, email: Uint8Array): EmailUsers =>
  readEmailRows(read.all(selectByEmail, tagId, email))

export const upsertUser = `INSERT INTO tag_user (tag, id, sealed, seen_at, version) VALUES (${selectRef}, ?, ?, ?, 1)
  ON CONFLICT (tag, id) DO UPDATE SET sealed = excluded.sealed, seen_at = excluded.seen_at, version = version + 1`
const putUser = `INSERT INTO tag_user (tag, id, sealed, seen_at, version) VALUES (${selectRef}, ?, ?, ?, ?)
  ON CONFLICT (tag, id) DO UPDATE SET sealed = excluded.sealed, seen_at = excluded.seen_at, version = excluded.version`
const deleteCustoms = `DELETE FROM custom_user WHERE tag = ${selectRef} AND user_id = ?
  AND fingerprint NOT IN (SELECT unhex(value) FROM json_each(?))`
const insertCustom = `INSERT INTO custom_user (tag, fingerprint, user_id) VALUES (${selectRef}, ?, ?) ON CONFLICT DO NOTHING`

const hexOf = (custom: Uint8Array) => Buffer.from(custom).toString('hex')

/** The write of a user whose version has been checked. */
export function userStatements(write: UserWrite): WriteUnit {
  const { user, lookupKeys = {}, basedOn } = write
  const { tagId, userId, sealed, seenAt } = user
  const { customs } = lookupKeys
  const row = [tagId, userId, sealed, seenAt]
  return [
    addRefs([tagId]),
    basedOn === undefined ? { sql: upsertUser, rows: [row] } : { sql: putUser, rows: [[...row, basedOn + 1]] },
    ...emailStatements(user, lookupKeys),
    ...(customs
      ? [
          { sql: deleteCustoms, rows: [[tagId, userId, JSON.stringify(customs.map(hexOf))]] },
          { sql: insertCustom, rows: customs.map((custom) => [tagId, custom, userId]) },
        ]
      : []),
  ]
}
