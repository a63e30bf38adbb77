import { emailKinds, overallConsentNumbers } from '#store/sql/emailRows.ts'
import { maxClaims, type UserWrite } from '#store/users.ts'

/** A row of `email_user`. `userId` is empty for a crowded e-mail. */
export type EmailRow = {
  tagId: string
  fingerprint: Uint8Array
  kind: number
  userId: string
  overallConsent: number
  seenAt: number
}

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
export const emailKey = (tagId: string, fingerprint: Uint8Array): string => `${tagId} ${hexOf(fingerprint)}`
const rowKey = ({ kind, userId }: Pick<EmailRow, 'kind' | 'userId'>) => `${kind} ${userId}`

type EmailRows = { tagId: string; fingerprint: Uint8Array; rows: Map<string, EmailRow> }

const ofKind = ({ rows }: EmailRows, kind: number) => [...rows.values()].filter((row) => row.kind === kind)

/** The claims above the limit, of users who refuse nothing: first users who were never asked, then the oldest. */
function surplusClaims(email: EmailRows): EmailRow[] {
  return ofKind(email, emailKinds.claim)
    .filter(({ overallConsent }) => overallConsent !== overallConsentNumbers.refuses)
    .sort(
      (one, other) =>
        other.overallConsent - one.overallConsent || other.seenAt - one.seenAt || (one.userId < other.userId ? -1 : 1),
    )
    .slice(maxClaims)
}

function addClaim(email: EmailRows, userId: string, overallConsent: number, seenAt: number): void {
  const { tagId, fingerprint, rows } = email
  const put = (row: Pick<EmailRow, 'kind' | 'userId' | 'overallConsent' | 'seenAt'>) =>
    rows.set(rowKey(row), { tagId, fingerprint, ...row })
  const crowdedKey = rowKey({ kind: emailKinds.crowded, userId: '' })
  if (!rows.has(crowdedKey)) put({ kind: emailKinds.claim, userId, overallConsent, seenAt })
  const claims = ofKind(email, emailKinds.claim)
  const refusals = claims.filter((row) => row.overallConsent === overallConsentNumbers.refuses)
  const crowded = rows.get(crowdedKey)
  if (!crowded && refusals.length <= maxClaims) {
    for (const row of surplusClaims(email)) rows.delete(rowKey(row))
    return
  }
  const crowdedAt = Math.max(seenAt, crowded?.seenAt ?? 0)
  put({ kind: emailKinds.crowded, userId: '', overallConsent: overallConsentNumbers.refuses, seenAt: crowdedAt })
  for (const row of claims) rows.delete(rowKey(row))
}

/** Rows to delete, and rows to insert or replace. */
export type EmailRowChanges = { dropped: EmailRow[]; put: EmailRow[] }

/** The users of some e-mails. All their rows must be known. */
export function openEmailClaims(known: readonly EmailRow[]) {
  const emails = new Map<string, EmailRows>()
  const emailOf = (tagId: string, fingerprint: Uint8Array): EmailRows => {
    const key = emailKey(tagId, fingerprint)
    const email = emails.get(key) ?? { tagId, fingerprint, rows: new Map() }
    emails.set(key, email)
    return email
  }
  for (const row of known) emailOf(row.tagId, row.fingerprint).rows.set(rowKey(row), row)

  function dropUser(tagId: string, userId: string): void {
    for (const email of emails.values())
      if (email.tagId === tagId)
        for (const kind of [emailKinds.confirmed, emailKinds.claim]) email.rows.delete(rowKey({ kind, userId }))
  }
  return {
    /** Changes the e-mails as a single write of a user does. */
    apply({ user: { tagId, userId, seenAt }, lookupKeys = {} }: UserWrite): void {
      const { claims = [], confirmed = [], overallConsent = 'unasked', isUnnamed } = lookupKeys
      if (isUnnamed) dropUser(tagId, userId)
      for (const claim of claims) addClaim(emailOf(tagId, claim), userId, overallConsentNumbers[overallConsent], seenAt)
      for (const fingerprint of confirmed) {
        const email = emailOf(tagId, fingerprint)
        if (ofKind(email, emailKinds.confirmed).length > 0) continue
        const row = { tagId, fingerprint, kind: emailKinds.confirmed, userId, overallConsent: 0, seenAt }
        email.rows.set(rowKey(row), row)
      }
    },
    /** The differences from the rows that were read. */
    changes(): EmailRowChanges {
      const dropped = known.filter((row) => !emailOf(row.tagId, row.fingerprint).rows.has(rowKey(row)))
      const unchanged = new Set(known)
      const put = [...emails.values()].flatMap(({ rows }) => [...rows.values()].filter((row) => !unchanged.has(row)))
      return { dropped, put }
    },
  }
}
