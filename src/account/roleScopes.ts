import type { Role } from '#contract/account.ts'
import { type CustomerScope, scopes } from '#contract/scopes.ts'

/** Viewers read everything but the data of users and the audit. */
const viewerScopes = scopes.filter((scope) => scope.endsWith(':read') && !['user:read', 'audit:read'].includes(scope))

/** Only owners accept policies, manage applications and read the audit. */
const ownerOnlyScopes: readonly CustomerScope[] = ['policy:accept', 'application:write', 'audit:read']

const scopesByRole: Readonly<Record<Role, readonly CustomerScope[]>> = {
  owner: scopes,
  editor: scopes.filter((scope) => !ownerOnlyScopes.includes(scope)),
  viewer: viewerScopes,
}

/** The scopes of a role, which its members may also grant to applications. In the order of the contract. */
export const roleScopes = (role: Role): readonly CustomerScope[] => scopesByRole[role]
