import type { EmailUsers, OverallConsent } from '#store/users.ts'
import type { SqlRow } from './sql.ts'

/** What a row of `email_user` says about a user and an e-mail. A crowded e-mail has a row without a user. */
export const emailKinds = { confirmed: 0, claim: 1, crowded: 2 } as const
export const overallConsentNumbers: Record<OverallConsent, number> = { unasked: 0, agrees: 1, refuses: 2 }

/** The users of an e-mail by its rows. A crowded e-mail has no claimants. */
export function readEmailRows(rows: readonly SqlRow[]): EmailUsers {
  const usersOf = (wanted: number) => rows.filter(({ kind }) => kind === wanted).map(({ user_id }) => String(user_id))
  const [confirmed] = usersOf(emailKinds.confirmed)
  const isCrowded = usersOf(emailKinds.crowded).length > 0
  const claimants = isCrowded ? [] : usersOf(emailKinds.claim)
  return { ...(confirmed !== undefined && { confirmed }), claimants, isCrowded }
}
