import type { Role } from '#contract/account.ts'
import type { InvitationRecord } from '#store/accounts.ts'
import type { AccountDeps } from './accountDeps.ts'
import { hasGranted } from './applicationGrants.ts'
import { findRole, parseActor } from './membership.ts'
import { roleScopes } from './roleScopes.ts'
import type { TeamAccess } from './teamAccess.ts'

/** The inviter: a person, an application, or an application on behalf of a person. */
export type Inviter = Pick<InvitationRecord, 'personId' | 'application'>

/** The inviter of a call. A token made by the operator has neither person nor application. */
export async function findInviter(
  { store }: Pick<AccountDeps, 'store'>,
  { by, application, personId }: TeamAccess,
): Promise<Inviter> {
  if (personId !== undefined) return { personId }
  const registered = await store.accounts.application(application)
  const actor = await store.accounts.actorOf(by)
  return { ...(registered && { application }), ...(actor && { personId: parseActor(actor).personId }) }
}

const coversRole = (role: Role, other: Role) => roleScopes(other).every((scope) => roleScopes(role).includes(scope))

async function personMayInvite(
  deps: AccountDeps,
  personId: string,
  { teamId, role }: InvitationRecord,
): Promise<boolean> {
  const person = await deps.store.accounts.person(personId)
  const current = person && (await findRole(deps, person, teamId))
  return current !== undefined && coversRole(current, role)
}

/** An application on behalf of a person needs that person's grant; otherwise the application only needs to exist. */
async function applicationMayInvite(deps: AccountDeps, applicationId: string, { teamId, personId }: InvitationRecord) {
  if (personId !== undefined) return hasGranted(deps, personId, { applicationId, teamId })
  return (await deps.store.accounts.application(applicationId)) !== undefined
}

/**
 * True if the inviter could still make this invitation. It ends when the inviting owner leaves, the application's
 * access ends, or the token is revoked. It outlives the expiry of the token.
 */
export async function mayStillInvite(deps: AccountDeps, invitation: InvitationRecord): Promise<boolean> {
  const { personId, application, by } = invitation
  if (personId !== undefined && !(await personMayInvite(deps, personId, invitation))) return false
  if (application !== undefined && !(await applicationMayInvite(deps, application, invitation))) return false
  return (await deps.store.tokenById(by))?.revokedAt === undefined
}
