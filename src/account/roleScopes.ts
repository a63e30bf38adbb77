import type { Role } from '#contract/account.ts'
import { type CustomerScope, scopes } from '#contract/scopes.ts'

const viewerScopes: readonly CustomerScope[] = ['script:read', 'policy:read', 'manifest:read', 'tag:read', 'event:read']

/** Only owners accept policies, manage applications and read the audit. */
const ownerOnlyScopes: readonly CustomerScope[] = ['policy:accept', 'application:write', 'audit:read']

const scopesByRole: Readonly<Record<Role, readonly CustomerScope[]>> = {
  owner: scopes,
  editor: scopes.filter((scope) => !ownerOnlyScopes.includes(scope)),
  viewer: viewerScopes,
}

/** The scopes of a role, which its members may also grant to applications. In the order of the contract. */
export const roleScopes = (role: Role): readonly CustomerScope[] => scopesByRole[role]
