import { toBinaryFields } from '#postgres/binaryArrays.ts'
import type { Sql } from '#postgres/database.ts'
import { emailKinds, readEmailRows } from '#store/sql/emailRows.ts'
import type { EmailUsers, UserWrite } from '#store/users.ts'
import { compareText } from './columns.ts'
import { type EmailRow, type EmailRowChanges, emailKey, openEmailClaims } from './emailClaims.ts'

const selectByEmails = `
  SELECT fingerprint, kind, user_id FROM email_user WHERE tag = $1 AND fingerprint = ANY($2::bytea[])
  ORDER BY seen_at DESC, user_id`

/** In the order of `emails`. */
export async function readEmailUsers(sql: Sql, tagId: string, emails: readonly Uint8Array[]): Promise<EmailUsers[]> {
  if (emails.length === 0) return []
  type Row = { fingerprint: Uint8Array; kind: number; user_id: string }
  const rows = Map.groupBy(await sql<Row>(selectByEmails, [tagId, emails]), (row) => emailKey(tagId, row.fingerprint))
  return emails.map((email) => readEmailRows(rows.get(emailKey(tagId, email)) ?? []))
}

const selectEmailsOfUsers = `
  SELECT found.* FROM unnest($1::text[], $2::text[]) AS wanted (tag, user_id) CROSS JOIN LATERAL (
    SELECT tag, fingerprint FROM email_user
    WHERE email_user.tag = wanted.tag AND email_user.user_id = wanted.user_id OFFSET 0
  ) AS found`
/** The e-mails are sorted, so concurrent writes of the same e-mails wait instead of deadlocking. */
const lockEmails = `
  SELECT found.* FROM unnest($1::text[], $2::bytea[]) AS wanted (tag, fingerprint) CROSS JOIN LATERAL (
    SELECT * FROM email_user WHERE email_user.tag = wanted.tag AND email_user.fingerprint = wanted.fingerprint
    ORDER BY kind, user_id FOR UPDATE
  ) AS found`
const deleteRows = `
  DELETE FROM email_user WHERE ctid = ANY (ARRAY(
    SELECT old.ctid FROM unnest($1::text[], $2::bytea[], $3::int[], $4::text[]) AS gone (tag, fingerprint, kind, user_id)
    CROSS JOIN LATERAL (
      SELECT ctid FROM email_user WHERE email_user.tag = gone.tag AND email_user.fingerprint = gone.fingerprint
        AND email_user.kind = gone.kind AND email_user.user_id = gone.user_id OFFSET 0
    ) AS old))`
const insertRows = `
  INSERT INTO email_user (tag, fingerprint, kind, user_id, overall_consent, seen_at)
  SELECT * FROM unnest($1::text[], $2::bytea[], $3::int[], $4::text[], $5::int[], $6::bigint[]) ORDER BY 1, 2, 3, 4`
const putRows = `${insertRows}
  ON CONFLICT (tag, fingerprint, kind, user_id) DO UPDATE SET overall_consent = excluded.overall_consent, seen_at =
    CASE excluded.kind WHEN ${emailKinds.crowded} THEN greatest(email_user.seen_at, excluded.seen_at)
    ELSE excluded.seen_at END`

const emailTypes = { tagId: 'text', fingerprint: 'bytea' } as const
const keyTypes = { ...emailTypes, kind: 'int4', userId: 'text' } as const
const columns = (rows: readonly EmailRow[]) =>
  toBinaryFields(rows, { ...keyTypes, overallConsent: 'int4', seenAt: 'int8' })

async function writeChanges(sql: Sql, { dropped, put }: EmailRowChanges): Promise<void> {
  if (dropped.length > 0) await sql(deleteRows, toBinaryFields(dropped, keyTypes))
  const [confirmed, others] = [true, false].map((wanted) =>
    put.filter(({ kind }) => (kind === emailKinds.confirmed) === wanted),
  )
  if (others!.length > 0) await sql(putRows, columns(others!))
  // If another process has confirmed the e-mail for another user meanwhile, that stays.
  if (confirmed!.length > 0) await sql(`${insertRows} ON CONFLICT DO NOTHING`, columns(confirmed!))
}

type EmailRef = { tagId: string; fingerprint: Uint8Array }

/** The e-mails that the writes may change, in the order in which every writer locks them. */
async function emailsToLock(sql: Sql, writes: readonly UserWrite[]): Promise<EmailRef[]> {
  const refs = writes.flatMap(({ user: { tagId }, lookupKeys: { claims = [], confirmed = [] } = {} }) =>
    [...claims, ...confirmed].map((fingerprint) => ({ tagId, fingerprint })),
  )
  const unnamed = writes.filter(({ lookupKeys }) => lookupKeys?.isUnnamed).map(({ user }) => user)
  if (unnamed.length > 0) {
    const ids = toBinaryFields(unnamed, { tagId: 'text', userId: 'text' })
    const rows = await sql<{ tag: string; fingerprint: Uint8Array }>(selectEmailsOfUsers, ids)
    refs.push(...rows.map(({ tag, fingerprint }) => ({ tagId: tag, fingerprint })))
  }
  const byKey = new Map(refs.map((ref) => [emailKey(ref.tagId, ref.fingerprint), ref]))
  return [...byKey].sort(([one], [other]) => compareText(one, other)).map(([, ref]) => ref)
}

type LockedRow = {
  tag: string
  fingerprint: Uint8Array
  kind: number
  user_id: string
  overall_consent: number
  seen_at: number
}

/** Changes the e-mails of users whose rows are locked, in the order of the writes. */
export async function writeEmails(sql: Sql, writes: readonly UserWrite[]): Promise<void> {
  const refs = await emailsToLock(sql, writes)
  if (refs.length === 0) return
  const rows = await sql<LockedRow>(lockEmails, toBinaryFields(refs, emailTypes))
  const claims = openEmailClaims(
    rows.map(({ tag, user_id, overall_consent, seen_at, ...row }) => {
      return { ...row, tagId: tag, userId: user_id, overallConsent: overall_consent, seenAt: seen_at }
    }),
  )
  for (const write of writes) claims.apply(write)
  await writeChanges(sql, claims.changes())
}
