import type { Sql } from '#postgres/database.ts'
import type { StoreChange } from '#store/store.ts'

const deleteIfUnseen = 'DELETE FROM tag_user WHERE tag = $1 AND id = $2 AND seen_at <= $3'
const selectUser = 'SELECT 1 FROM tag_user WHERE tag = $1 AND id = $2'
const upsertErased = `
  INSERT INTO tag_user (tag, id, sealed, seen_at, version) VALUES ($1, $2, '', $3, 1)
  ON CONFLICT (tag, id) DO UPDATE SET sealed = '', seen_at = excluded.seen_at, version = tag_user.version + 1`

/** Sorted as in every write of e-mails, so that concurrent writes wait instead of deadlocking. */
const lockEmailsOfUser = `
  SELECT fingerprint, kind, user_id FROM email_user WHERE tag = $1 AND user_id = $2
  ORDER BY fingerprint, kind, user_id FOR UPDATE`
const deleteLookupKeys = [
  'DELETE FROM email_user WHERE tag = $1 AND user_id = $2',
  'DELETE FROM custom_user WHERE tag = $1 AND user_id = $2',
]

async function dropLookupKeys(sql: Sql, tagId: string, userId: string): Promise<void> {
  await sql(lockEmailsOfUser, [tagId, userId])
  for (const text of deleteLookupKeys) await sql(text, [tagId, userId])
}

/** Does not delete a user who was seen after `seenAt`. */
export async function dropUser(
  sql: Sql,
  { tagId, userId, seenAt }: Extract<StoreChange, { drop: 'user' }>,
): Promise<void> {
  await sql(deleteIfUnseen, [tagId, userId, seenAt])
  const [kept] = await sql(selectUser, [tagId, userId])
  if (!kept) await dropLookupKeys(sql, tagId, userId)
}

/** Leaves an empty row with the time of the erasure, even for a user without a profile. */
export async function eraseUserProfile(
  sql: Sql,
  { tagId, userId, at }: Extract<StoreChange, { erase: 'user' }>,
): Promise<void> {
  await sql(upsertErased, [tagId, userId, at])
  await dropLookupKeys(sql, tagId, userId)
}
