import type { Statement, Unit } from '#kit/units.ts'
import { claimsKept, type EmailUsers, type Stance, type UserRecord, type UserSigns } from '#store/users.ts'
import type { Read } from './read.ts'
import { refOf } from './refs.ts'

const kinds = { confirmed: 0, claim: 1, crowded: 2 }
const stances: Record<Stance, number> = { unasked: 0, agrees: 1, refuses: 2 }

/** The tag is `?1`, the e-mail `?2`. */
const tag = '(SELECT no FROM ref WHERE id = ?1)'
const ofEmail = (kind: keyof typeof kinds) => `tag = ${tag} AND fingerprint = ?2 AND kind = ${kinds[kind]}`
const isCrowded = `EXISTS (SELECT 1 FROM email_user WHERE ${ofEmail('crowded')})`

const claim = `INSERT INTO email_user (tag, fingerprint, kind, user, stance, seen_at)
  SELECT ${tag}, ?2, ${kinds.claim}, ?3, ?4, ?5 WHERE NOT ${isCrowded}
  ON CONFLICT DO UPDATE SET stance = excluded.stance, seen_at = excluded.seen_at`
/** Once there are too many who refuse, and anew whenever somebody claims an e-mail that is crowded. */
const crowd = `INSERT INTO email_user (tag, fingerprint, kind, user, stance, seen_at)
  SELECT ${tag}, ?2, ${kinds.crowded}, '', ${stances.refuses}, ?3 WHERE ${isCrowded} OR ${claimsKept} < (
    SELECT count(*) FROM email_user WHERE ${ofEmail('claim')} AND stance = ${stances.refuses})
  ON CONFLICT DO UPDATE SET seen_at = max(seen_at, excluded.seen_at)`
const trim = `DELETE FROM email_user WHERE ${ofEmail('claim')} AND (${isCrowded} OR user IN (
  SELECT user FROM email_user WHERE ${ofEmail('claim')} AND stance <> ${stances.refuses}
  ORDER BY stance DESC, seen_at DESC, user LIMIT -1 OFFSET ${claimsKept}))`
const confirm = `INSERT INTO email_user (tag, fingerprint, kind, user, stance, seen_at)
  SELECT ${tag}, ?2, ${kinds.confirmed}, ?3, 0, ?4
  WHERE NOT EXISTS (SELECT 1 FROM email_user WHERE ${ofEmail('confirmed')})`

/** What writes which e-mails lead to a user. */
export function naming({ tagId, userId, seenAt }: UserRecord, signs: UserSigns): Unit {
  const { claims = [], confirmed = [], stance = 'unasked' } = signs
  const each = (sql: string, rest: (number | string)[]): Statement => ({
    sql,
    rows: claims.map((email) => [tagId, email, ...rest]),
  })
  return [
    ...(signs.isUnnamed ? [unname({ tagId, userId })] : []),
    each(claim, [userId, stances[stance], seenAt]),
    each(crowd, [seenAt]),
    each(trim, []),
    { sql: confirm, rows: confirmed.map((email) => [tagId, email, userId, seenAt]) },
  ]
}

/** No e-mail leads to the user any more. */
export const unname = ({ tagId, userId }: Pick<UserRecord, 'tagId' | 'userId'>): Statement => ({
  sql: `DELETE FROM email_user WHERE tag = ${refOf} AND user = ?`,
  rows: [[tagId, userId]],
})

export const uncrowd = (seenBefore: number): Statement => ({
  sql: `DELETE FROM email_user WHERE kind = ${kinds.crowded} AND seen_at < ?`,
  rows: [[seenBefore]],
})

const byEmail = `SELECT kind, user FROM email_user WHERE tag = ${refOf} AND fingerprint = ? ORDER BY seen_at DESC, user`

export function emailUsers(read: Read, tagId: string, email: Uint8Array): EmailUsers {
  const rows = read.all(byEmail, tagId, email)
  const of = (kind: keyof typeof kinds) =>
    rows.filter((row) => row.kind === kinds[kind]).map(({ user }) => String(user))
  const [confirmed] = of('confirmed')
  return {
    ...(confirmed !== undefined && { confirmed }),
    claimants: of('claim'),
    isCrowded: of('crowded').length > 0,
  }
}
