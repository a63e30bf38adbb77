import type { Scope } from '#contract/scopes.ts'

/** Who calls: a token that was found good. */
export type Access = { tokenId: string; teamId: string; application: string; scopes: ReadonlySet<Scope> }

/** Reads `Authorization`. Throws the faults tokenMissing and tokenRefused. */
export type Authenticate = (authorization: string | undefined) => Promise<Access>
