import type { Role } from '#contract/account.ts'
import type { Scope } from '#contract/scopes.ts'

const ownerOnly: readonly Scope[] = ['policy:accept', 'application:write', 'audit:read']
/** Viewers read everything except user data and the audit. */
const isViewers = (scope: Scope) => scope.endsWith(':read') && scope !== 'user:read' && scope !== 'audit:read'

/** The lowest role that has all of these scopes, for the sentence beside a control that is disabled. */
export function lowestRole(scopes: readonly Scope[]): Role {
  if (scopes.some((scope) => ownerOnly.includes(scope))) return 'owner'
  return scopes.every(isViewers) ? 'viewer' : 'editor'
}
