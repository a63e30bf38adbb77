import { nobody } from '#event/erase.ts'
import type { Unit } from '#kit/units.ts'
import type { Writer } from '#kit/writer.ts'
import type { Change, UserRecord, Users } from '#store/store.ts'
import { emailUsers, naming, uncrowd } from './emails.ts'
import type { Read } from './read.ts'
import { addRefs, refOf } from './refs.ts'
import { present } from './rows.ts'

const get = `SELECT sealed, seen_at FROM user WHERE tag = ${refOf} AND id = ?`
const byCustom = `SELECT user FROM custom WHERE tag = ${refOf} AND fingerprint = ? ORDER BY user LIMIT ?`

const put = `INSERT INTO user (tag, id, sealed, seen_at) VALUES (${refOf}, ?, ?, ?)
  ON CONFLICT (tag, id) DO UPDATE SET sealed = excluded.sealed, seen_at = excluded.seen_at`
const unmark = `DELETE FROM custom WHERE tag = ${refOf} AND user = ?`
const mark = `INSERT INTO custom (tag, fingerprint, user) VALUES (${refOf}, ?, ?) ON CONFLICT DO NOTHING`

const unseen = `
  SELECT ref.id AS tag_id, user.id AS user_id, seen_at FROM (
    SELECT * FROM user WHERE seen_at < ?1 UNION ALL
    SELECT * FROM user WHERE length(sealed) = 0 AND seen_at >= ?1 AND seen_at < ?2
  ) AS user JOIN ref ON ref.no = user.tag LIMIT ?3`

export const usersOf = (read: Read, writer: Writer): Users => ({
  async get(tagId, userId) {
    const row = read.one(get, tagId, userId)
    return row && present<UserRecord>({ tagId, userId, sealed: row.sealed, seenAt: row.seen_at })
  },
  byEmail: async (tagId, email) => emailUsers(read, tagId, email),
  byCustom: async (tagId, custom, limit) => read.all(byCustom, tagId, custom, limit).map(({ user }) => String(user)),
  put(user, signs = {}) {
    const { tagId, userId, sealed, seenAt } = user
    const { customs } = signs
    return writer.write([
      addRefs([tagId]),
      { sql: put, rows: [[tagId, userId, sealed, seenAt]] },
      ...naming(user, signs),
      ...(customs
        ? [
            { sql: unmark, rows: [[tagId, userId]] },
            { sql: mark, rows: customs.map((custom) => [tagId, custom, userId]) },
          ]
        : []),
    ])
  },
  uncrowd: (seenBefore) => writer.write([uncrowd(seenBefore)]),
  unseen: async ({ seenBefore, erasedBefore }, limit) =>
    read
      .all(unseen, seenBefore, erasedBefore, limit)
      .map((row) =>
        present<Omit<UserRecord, 'sealed'>>({ tagId: row.tag_id, userId: row.user_id, seenAt: row.seen_at }),
      ),
})

const dropSigns = (table: 'email_user' | 'custom') => `DELETE FROM ${table} WHERE tag = ${refOf} AND user = ?
  AND NOT EXISTS (SELECT 1 FROM user WHERE user.tag = ${table}.tag AND user.id = ${table}.user)`

/** Who was seen since stays, and so do the e-mails and custom values that lead there. */
export const dropUser = ({ tagId, userId, seenAt }: Extract<Change, { drop: 'user' }>): Unit => [
  { sql: `DELETE FROM user WHERE tag = ${refOf} AND id = ? AND seen_at <= ?`, rows: [[tagId, userId, seenAt]] },
  { sql: dropSigns('email_user'), rows: [[tagId, userId]] },
  { sql: dropSigns('custom'), rows: [[tagId, userId]] },
]

/** The tag is `?1`, the user `?2`. Which index leads to the events is said, or all of the tag would be read. */
const tag = '(SELECT no FROM ref WHERE id = ?1)'
const events = `
  SELECT tag, position, idx FROM event INDEXED BY event_user WHERE tag = ${tag} AND user = ?2 UNION ALL
  SELECT tag, position, idx FROM event INDEXED BY event_joined WHERE tag = ${tag} AND joined = ?2`

const ofUser = [
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

export const eraseUser = ({ tagId, userId, at }: Extract<Change, { erase: 'user' }>): Unit => [
  addRefs([tagId]),
  ...ofUser.map((sql) => ({ sql, rows: [[tagId, userId]] })),
  { sql: put, rows: [[tagId, userId, new Uint8Array(), at]] },
]

const disown = `UPDATE event SET user = ?, joined = NULL WHERE tag = ${refOf} AND position = ? AND idx = ?`

export const eraseEvents = ({ events }: Extract<Change, { erase: 'events' }>): Unit => [
  { sql: disown, rows: events.map(({ tagId, position, index }) => [nobody, tagId, position, index]) },
]

const forgetJoin =
  'UPDATE attempt SET joined = ? WHERE delivery = (SELECT no FROM delivery WHERE id = ?) AND number = ?'

export const eraseJoins = ({ joins }: Extract<Change, { erase: 'joins' }>): Unit => [
  { sql: forgetJoin, rows: joins.map(({ deliveryId, number }) => [nobody, deliveryId, number]) },
]
