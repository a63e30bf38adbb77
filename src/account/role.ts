import type { Role } from '#contract/account.ts'
import { type CustomerScope, scopes } from '#contract/scopes.ts'

const viewing: readonly CustomerScope[] = ['script:read', 'policy:read', 'manifest:read', 'tag:read', 'event:read']

/** Who may act for the team, what it agrees to and who did what are the owners' business. */
const ownersOnly: readonly CustomerScope[] = ['policy:accept', 'application:write', 'audit:read']

const byRole: Readonly<Record<Role, readonly CustomerScope[]>> = {
  owner: scopes,
  editor: scopes.filter((scope) => !ownersOnly.includes(scope)),
  viewer: viewing,
}

/** What a person of this role may do, and may let an application do. In the order of the contract. */
export const scopesOf = (role: Role): readonly CustomerScope[] => byRole[role]
