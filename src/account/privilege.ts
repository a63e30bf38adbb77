import { fault } from '#contract/fault.ts'
import { everyScope, type Scope } from '#contract/scopes.ts'
import { type AccountDeps, type AuditActor, auditChange } from './accountDeps.ts'
import type { TeamAccess } from './teamAccess.ts'

/** The actor of a change of access, and the scopes that they hold. */
export type ScopeHolder = AuditActor & { held: ReadonlySet<Scope> }

/** The operator holds every scope. */
export const operatorHolder: ScopeHolder = { by: 'operator', held: new Set(everyScope) }

export const accessHolder = ({ by, scopes }: TeamAccess, from: string): ScopeHolder => ({
  by,
  from,
  held: scopes,
})

/** `object`: the id of the object. */
type PrivilegedOperation = { what: string; teamId: string; object?: string }

const message = 'This would give, change or end access to scopes that the caller lacks. See attributes.missing.'

/**
 * Refuses privilege escalation: granting, changing, taking over or ending access requires every scope of that access. A
 * refusal is written to the audit as `<operation>.refused`. Throws scopeMissing with the scopes that the holder lacks.
 */
export async function refuseEscalation(
  deps: Pick<AccountDeps, 'store' | 'clock'>,
  needed: readonly Scope[],
  holder: ScopeHolder,
  { what, ...rest }: PrivilegedOperation,
): Promise<void> {
  const missing = [...new Set(needed)].filter((scope) => !holder.held.has(scope))
  if (missing.length === 0) return
  await deps.store.write([auditChange(deps, holder, { what: `${what}.refused`, ...rest, after: { missing } })])
  throw fault('scopeMissing', { message, attributes: { missing } })
}
