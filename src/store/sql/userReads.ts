import type { StoredUser, UserStore } from '#store/users.ts'
import type { Dialect } from './dialect.ts'
import type { SqlReads, SqlRow } from './sql.ts'

const bytesOf = (bytes: Uint8Array) => new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)

export const readUser = (row: SqlRow, tagId: string): StoredUser => ({
  tagId,
  userId: String(row.id),
  sealed: bytesOf(row.sealed as Uint8Array),
  seenAt: Number(row.seen_at),
  version: Number(row.version),
})

export const userColumns = 'id, sealed, seen_at, version'

/** Reads of users whose statements are the same on both databases. */
export function createUserReads(
  reads: SqlReads,
  { ref }: Dialect,
): Pick<UserStore, 'byCustom' | 'unseen' | 'usersAfter'> {
  const tag = `tag = ${ref('?1')}`
  const selectByCustom = `SELECT user_id FROM custom_user WHERE ${tag} AND fingerprint = ?2 ORDER BY user_id LIMIT ?3`
  const selectUnseen = `
    SELECT id, seen_at FROM tag_user WHERE ${tag} AND seen_at < ?2 UNION ALL
    SELECT id, seen_at FROM tag_user WHERE ${tag} AND length(sealed) = 0 AND seen_at >= ?2 AND seen_at < ?3 LIMIT ?4`
  const selectAfter = `SELECT ${userColumns} FROM tag_user WHERE ${tag} AND id > ?2 ORDER BY id LIMIT ?3`
  return {
    byCustom: async (tagId, custom, limit) =>
      (await reads.all(selectByCustom, tagId, custom, limit)).map(({ user_id }) => String(user_id)),
    async unseen(tagId, { seenBefore, erasedBefore }, limit) {
      const rows = await reads.all(selectUnseen, tagId, seenBefore, erasedBefore, limit)
      return rows.map(({ id, seen_at }) => ({ tagId, userId: String(id), seenAt: Number(seen_at) }))
    },
    usersAfter: async (tagId, after, limit) =>
      (await reads.all(selectAfter, tagId, after, limit)).map((row) => readUser(row, tagId)),
  }
}
