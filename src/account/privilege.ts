import { fault } from '#contract/fault.ts'
import { everyScope, type Scope } from '#contract/scopes.ts'
import type { Access } from './access.ts'
import { type AccountWorld, auditOf, type Who } from './world.ts'

/** Who changes what others may do for a team, and the scopes that they hold themselves. */
export type Holder = Who & { held: ReadonlySet<Scope> }

/** The operator holds every scope. */
export const operator: Holder = { by: 'operator', held: new Set(everyScope) }

/** Who calls with a token holds the scopes of that token. */
export const holderOf = ({ tokenId, scopes }: Access, from: string): Holder => ({ by: tokenId, from, held: scopes })

/** What was tried: the operation, the team, and the id of what it was tried on. */
export type Attempt = { what: string; teamId: string; object?: string }

const message =
  'This would give, change or end access with scopes that the caller lacks: nobody manages more than they hold. ' +
  'See attributes.missing.'

/**
 * Refuses privilege escalation: whoever gives access, changes it, takes it over or ends it must hold every scope of it.
 * A refusal is written to the audit as `<operation>.refused`. Throws scopeMissing with the scopes that the holder lacks.
 */
export async function refuseEscalation(
  deps: Pick<AccountWorld, 'store' | 'clock'>,
  needed: readonly Scope[],
  holder: Holder,
  { what, ...rest }: Attempt,
): Promise<void> {
  const missing = [...new Set(needed)].filter((scope) => !holder.held.has(scope))
  if (missing.length === 0) return
  await deps.store.write([auditOf(deps, holder, { what: `${what}.refused`, ...rest, after: { missing } })])
  throw fault('scopeMissing', { message, attributes: { missing } })
}
