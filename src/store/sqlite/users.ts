import type { Writer } from '#kit/writer.ts'
import type { UserRecord, Users } from '#store/store.ts'
import type { Read } from './read.ts'
import { addRefs, refOf } from './refs.ts'
import { present } from './rows.ts'

const get = `SELECT sealed, seen_at FROM user WHERE tag = ${refOf} AND id = ?`
const byAlias = `SELECT user FROM alias WHERE tag = ${refOf} AND fingerprint = ?`

const put = `INSERT INTO user (tag, id, sealed, seen_at) VALUES (${refOf}, ?, ?, ?)
  ON CONFLICT (tag, id) DO UPDATE SET sealed = excluded.sealed, seen_at = excluded.seen_at`
const point = `INSERT INTO alias (tag, fingerprint, user) VALUES (${refOf}, ?, ?)
  ON CONFLICT (tag, fingerprint) DO NOTHING`

export const usersOf = (read: Read, writer: Writer): Users => ({
  async get(tagId, userId) {
    const row = read.one(get, tagId, userId)
    return row && present<UserRecord>({ tagId, userId, sealed: row.sealed, seenAt: row.seen_at })
  },
  async byAlias(tagId, alias) {
    const row = read.one(byAlias, tagId, alias)
    return row && String(row.user)
  },
  put: ({ tagId, userId, sealed, seenAt }, aliases) =>
    writer.write([
      addRefs([tagId]),
      { sql: put, rows: [[tagId, userId, sealed, seenAt]] },
      { sql: point, rows: aliases.map((alias) => [tagId, alias, userId]) },
    ]),
})
