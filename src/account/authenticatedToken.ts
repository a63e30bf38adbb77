import type { Scope } from '#contract/scopes.ts'

/** The valid access token of a call. */
export type AuthenticatedToken = { tokenId: string; teamId: string; application: string; scopes: ReadonlySet<Scope> }

/** Reads `Authorization`. Throws the faults tokenMissing and tokenRefused. */
export type AuthenticateToken = (authorization: string | undefined) => Promise<AuthenticatedToken>
