import type { Scope } from '#contract/scopes.ts'

/**
 * What a caller may do for a team. `by` is the id of the access token, or the personId of a signed-in person, for whom
 * `personId` is set too.
 */
export type TeamAccess = {
  by: string
  teamId: string
  application: string
  scopes: ReadonlySet<Scope>
  personId?: string
}

/** Reads `Authorization`. Throws tokenMissing and tokenRefused. */
export type AuthenticateToken = (authorization: string | undefined) => Promise<TeamAccess>
