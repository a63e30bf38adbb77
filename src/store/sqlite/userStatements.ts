import type { WriteUnit } from '#kit/writeBatch.ts'
import type { UserWrite } from '#store/users.ts'
import { emailStatements } from './emailUsers.ts'
import { addRefs, selectRef } from './refs.ts'

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
